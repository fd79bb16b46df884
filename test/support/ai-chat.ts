import {
  AbstractChat,
  type ChatInit,
  type ChatState,
  convertToModelMessages,
  generateId,
  jsonSchema,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  stepCountIs,
  streamText,
  tool,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type EventStream, StreamsService } from 'rookery/channels';
import { RookeryChatTransport } from '@rookery/client/ai';
import type { ChannelsServer } from './channels-server.js';
import { PusherJs } from './pusher-js.js';
import { testApp } from './test-app.js';

type ModelPart =
  Awaited<ReturnType<MockLanguageModelV3['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

const recited = 'Ein Nest "hoch oben" 東京 😀\nund noch viele Wörter '
  .repeat(8)
  .trimEnd()
  .split(/(?<= )/);
export const recitedText = recited.join('');

/** The chat of `useChat`, without React. */
export class TestChat extends AbstractChat<UIMessage> {
  constructor({ messages = [], ...init }: ChatInit<UIMessage>) {
    const state: ChatState<UIMessage> = {
      status: 'ready',
      error: undefined,
      messages,
      pushMessage: (message) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (at, message) => void (state.messages = state.messages.with(at, message)),
      snapshot: (thing) => structuredClone(thing),
    };
    super({ ...init, state, sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses });
  }

  /** What the last message says. */
  get text(): string {
    return (this.lastMessage?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
  }
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
const finish = (unified: 'stop' | 'tool-calls'): ModelPart => ({
  type: 'finish',
  usage,
  finishReason: { unified, raw: undefined },
});

/** Answers a chat's questions in a host, with a model that thinks, deletes files once that is approved, and recites. */
export class AnsweringHost {
  /** The chats as a host stores them. */
  readonly chats = new Map<string, UIMessage[]>();
  readonly deleted: string[] = [];
  readonly errors: unknown[] = [];
  /** The chunks of each stream, as the AI SDK made them. */
  readonly said = new Map<string, UIMessageChunk[]>();
  readonly streams: EventStream[] = [];
  /** Model calls that their signal ended. */
  aborted = 0;
  /** The model waits for more of this before it says more letters. */
  speechLimit = Infinity;
  /** What its tool does. */
  look = (): Promise<void> => delay(this.tokenMs * 20);
  /** Called when an answer is done. */
  onDone: (chatId: string) => unknown = () => {};

  constructor(
    private readonly server: ChannelsServer,
    private readonly tokenMs = 5,
  ) {}

  /** Takes the POST of a page. */
  readonly fetch = async (_: unknown, request?: { readonly body?: unknown }): Promise<Response> => {
    const { id, messages } = JSON.parse(String(request?.body)) as { id: string; messages: UIMessage[] };
    return Response.json({ stream: await this.answer(id, messages) });
  };

  async answer(chatId: string, messages: UIMessage[]): Promise<string> {
    this.chats.set(chatId, messages);
    const answer = await this.server.app.get(StreamsService).begin(`private-chat-${chatId}`, 'answer');
    this.streams.push(answer);
    const said: UIMessageChunk[] = [];
    this.said.set(answer.id, said);
    const steered: string[] = [];
    answer.onSteer((message) => {
      steered.push(String(message));
      answer.appendPart({ type: 'data-steered', data: message });
    });
    const result = streamText({
      model: this.model,
      messages: await convertToModelMessages(messages),
      tools: this.tools,
      stopWhen: stepCountIs(3),
      abortSignal: answer.signal,
      prepareStep: ({ messages: all }) => ({
        messages: [...all, ...steered.splice(0).map((content) => ({ role: 'user' as const, content }))],
      }),
      onError: ({ error }) => void this.errors.push(error),
    });
    const chunks = result.toUIMessageStream({
      originalMessages: messages,
      generateMessageId: generateId,
      onFinish: ({ messages: all }) => void this.chats.set(chatId, all),
    });
    const kept = chunks.pipeThrough(
      new TransformStream<UIMessageChunk, UIMessageChunk>({
        transform(chunk, controller) {
          said.push(structuredClone(chunk));
          controller.enqueue(chunk);
        },
      }),
    );
    answer.pipeParts(kept).then(
      () => this.onDone(chatId),
      (error: unknown) => this.errors.push(error),
    );
    return answer.id;
  }

  private readonly tools = {
    deleteFile: tool({
      inputSchema: jsonSchema<{ readonly path: string }>({ type: 'object', properties: { path: { type: 'string' } } }),
      needsApproval: true,
      execute: ({ path }) => {
        this.deleted.push(path);
        return { isDeleted: true };
      },
    }),
    look: tool({
      inputSchema: jsonSchema<object>({ type: 'object', properties: {} }),
      execute: async () => this.look().then(() => 'a nest'),
    }),
  };

  private readonly model = new MockLanguageModelV3({
    doStream: async ({ prompt, abortSignal }) => {
      abortSignal?.addEventListener('abort', () => (this.aborted += 1));
      const parts = partsFor(JSON.stringify(prompt.at(-1)), prompt.filter(({ role }) => role === 'user').length);
      const pause = this.tokenMs;
      let letters = 0;
      const isSilent = (): boolean => letters >= this.speechLimit && !abortSignal?.aborted;
      return {
        stream: new ReadableStream<ModelPart>({
          async pull(controller) {
            do await delay(pause);
            while (isSilent());
            if (abortSignal?.aborted) return controller.error(abortSignal.reason);
            const part = parts.shift();
            if (part?.type === 'text-delta') letters += part.delta.length;
            if (part) controller.enqueue(part);
            else controller.close();
          },
        }),
      };
    },
  });
}

function partsFor(last: string, questions: number): ModelPart[] {
  const text = (...deltas: readonly string[]): ModelPart[] => [
    { type: 'text-start', id: 't' },
    ...deltas.map((delta): ModelPart => ({ type: 'text-delta', id: 't', delta })),
    { type: 'text-end', id: 't' },
    finish('stop'),
  ];
  const call = (toolName: string, input: object): ModelPart[] => [
    { type: 'tool-input-start', id: `call-${toolName}`, toolName },
    { type: 'tool-input-delta', id: `call-${toolName}`, delta: JSON.stringify(input) },
    { type: 'tool-input-end', id: `call-${toolName}` },
    { type: 'tool-call', toolCallId: `call-${toolName}`, toolName, input: JSON.stringify(input) },
    finish('tool-calls'),
  ];
  if (last.includes('"role":"tool"')) return last.includes('isDeleted') ? text('It is ', 'gone.') : text('I see.');
  if (last.includes('delete'))
    return [
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'They mean notes.txt …' },
      { type: 'reasoning-end', id: 'r' },
      ...call('deleteFile', { path: 'notes.txt' }),
    ];
  if (last.includes('look')) return call('look', {});
  if (questions > 1 && last.includes('shorter')) return text('Short.');
  return text(...recited);
}

/** A page of a browser. */
export class ChatPage {
  readonly pusher: PusherJs;
  readonly transport: RookeryChatTransport;
  readonly chat: TestChat;

  constructor(port: number, host: AnsweringHost, id = 'seven', messages = host.chats.get(id) ?? []) {
    this.pusher = new PusherJs(testApp.key, {
      cluster: '',
      wsHost: '127.0.0.1',
      wsPort: port,
      forceTLS: false,
      enabledTransports: ['ws'],
      channelAuthorization: { transport: 'ajax', endpoint: '', customHandler: authorize },
    });
    this.transport = new RookeryChatTransport({ pusher: this.pusher, fetch: host.fetch });
    this.chat = new TestChat({ id, messages, transport: this.transport, generateId });
  }

  /** Its connection breaks; pusher-js makes another. */
  cut(): void {
    this.pusher.disconnect();
    this.pusher.connect();
  }

  close(): void {
    this.pusher.disconnect();
  }
}

interface Asked {
  readonly socketId: string;
  readonly channelName: string;
}

const authorize = (
  { socketId, channelName }: Asked,
  answer: (error: Error | null, token: { auth: string } | null) => void,
): void => {
  if (!channelName.startsWith('private-chat-')) return answer(new Error('Not your chat'), null);
  const signature = createHmac('sha256', testApp.secret).update(`${socketId}:${channelName}`).digest('hex');
  answer(null, { auth: `${testApp.key}:${signature}` });
};
