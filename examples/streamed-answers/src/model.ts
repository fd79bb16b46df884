import { setTimeout as delay } from 'node:timers/promises';
import type { TextSource } from 'rookery/channels';

const { OPENAI_BASE_URL: url, OPENAI_API_KEY: apiKey = '', MODEL: model = 'llama3.2', TOKEN_MS = '60' } = process.env;

/** Asks a server that is compatible with OpenAI's, such as Ollama or vLLM; without one, a model that recites. */
export async function ask(question: string): Promise<TextSource> {
  if (!url) return recite();
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: question }] }),
  });
  if (!response.ok || !response.body) throw new Error(`${url} answers ${response.status}`);
  return response.body;
}

export const recited =
  'A rook builds its nest high in a tree, close to those of its neighbours: a rookery. ' +
  'In early spring the birds return to the nests of the year before, mend them with fresh twigs, ' +
  'and guard them, because a neighbour steals twigs rather than fetch them. ' +
  'The young are fed by both parents, leave the nest after a month, and join the noisy flock.';

async function* recite(): AsyncIterable<string> {
  for (const word of recited.split(/(?<= )/)) {
    yield word;
    await delay(Number(TOKEN_MS));
  }
}
