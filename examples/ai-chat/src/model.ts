import { generateId, type LanguageModel } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { setTimeout as delay } from 'node:timers/promises';

const { MODEL, TOKEN_MS = '60' } = process.env;

type Stream = Awaited<ReturnType<MockLanguageModelV3['doStream']>>['stream'];
type Part = Stream extends ReadableStream<infer Each> ? Each : never;

const recited =
  'A rook builds its nest high in a tree, close to those of its neighbours: a rookery. ' +
  'In early spring the birds return to the nests of the year before, mend them with fresh twigs, ' +
  'and guard them, because a neighbour steals twigs rather than fetch them. ' +
  'The young are fed by both parents, leave the nest after a month, and join the noisy flock.';

const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 0, text: 0, reasoning: undefined },
};

function* say(text: string): Iterable<Part> {
  yield { type: 'text-start', id: 'said' };
  for (const delta of text.split(/(?<= )/)) yield { type: 'text-delta', id: 'said', delta };
  yield { type: 'text-end', id: 'said' };
}

function* call(toolName: string, input: object): Iterable<Part> {
  yield { type: 'tool-call', toolCallId: generateId(), toolName, input: JSON.stringify(input) };
  yield { type: 'finish', usage, finishReason: { unified: 'tool-calls', raw: undefined } };
}

/** Reads, then recites; asked to build, it needs a twig first. */
function* partsOf(last: string, before = ''): Iterable<Part> {
  const isResult = last.includes('"role":"tool"');
  if (!isResult && /build me/i.test(last)) {
    yield* say('For a nest I need one more twig. ');
    yield* call('takeTwig', { neighbour: 'Corvin' });
    return;
  }
  // A question right after a result came while the tool ran.
  const isSteered = !isResult && before.includes('"role":"tool"');
  if (!isResult && !isSteered) {
    yield* call('readBook', { title: 'The rook' });
    return;
  }
  if (last.includes('takeTwig')) yield* say(last.includes('twig of') ? 'It fits. ' : 'Then I fetch one. ');
  yield* say(isSteered ? 'In towns they nest in plane trees, as near to a park as they can.' : recited);
  yield { type: 'finish', usage, finishReason: { unified: 'stop', raw: undefined } };
}

const reciting = new MockLanguageModelV3({
  doStream: async ({ prompt, abortSignal }) => {
    const parts = partsOf(JSON.stringify(prompt.at(-1)), JSON.stringify(prompt.at(-2)))[Symbol.iterator]();
    return {
      stream: new ReadableStream<Part>({
        async pull(controller) {
          await delay(Number(TOKEN_MS), undefined, { signal: abortSignal });
          const { done, value } = parts.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
      }),
    };
  },
});

/** A model of Vercel's gateway, or one that recites. Any other of the AI SDK works in its place. */
export const model: LanguageModel = MODEL ?? reciting;
