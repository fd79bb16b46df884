import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';
import { Answers } from './answers.mjs';
import type { ChatClient } from './chat-channel.mjs';

type ChatHeaders = Readonly<Record<string, string>> | Headers;

/** Options of the transport. */
export interface RookeryChatTransportOptions {
  /** A pusher-js client. */
  readonly pusher: ChatClient;
  /** Takes messages by POST, and answers `{"stream":"<id>"}`. @default '/api/chat' */
  readonly api?: string;
  /** The channel of a chat. @default `private-chat-<chatId>` */
  readonly channel?: (chatId: string) => string;
  /** The name of the stream's events. @default 'answer' */
  readonly event?: string;
  /** Headers of each POST. */
  readonly headers?: ChatHeaders | (() => ChatHeaders);
  /** @default that of the page */
  readonly fetch?: typeof fetch;
}

type Send<Message extends UIMessage> = Parameters<ChatTransport<Message>['sendMessages']>[0];
type Reconnect<Message extends UIMessage> = Parameters<ChatTransport<Message>['reconnectToStream']>[0];

/**
 * Carries the chats of Vercel's AI SDK (`useChat`) over pusher-js: answers are streams of the server (`pipeParts`), so a
 * reload, another tab and another device join in mid-sentence, and `stop` ends the model's call.
 */
export class RookeryChatTransport<Message extends UIMessage = UIMessage> implements ChatTransport<Message> {
  /** A resumed answer comes from its beginning. */
  readonly resumeStreamIsReplay = true;
  private readonly resumed = new Map<string, object>();

  constructor(private readonly options: RookeryChatTransportOptions) {}

  async sendMessages({ abortSignal, ...question }: Send<Message>): Promise<ReadableStream<UIMessageChunk>> {
    const answers = this.of(question.chatId);
    const id = await answers.ask(() => this.post(question));
    const stop = (): void => answers.stop(id);
    if (abortSignal?.aborted) stop();
    abortSignal?.addEventListener('abort', stop, { once: true });
    return answers.parts(id);
  }

  async reconnectToStream({ chatId, abortSignal }: Reconnect<Message>): Promise<ReadableStream<UIMessageChunk> | null> {
    const attempt = {};
    this.resumed.set(chatId, attempt);
    const answers = this.of(chatId);
    await answers.joined();
    const id = answers.current;
    if (id === undefined || abortSignal?.aborted) return null;
    const stop = (): void =>
      // A chat that resumes again ends its attempt before by the same signal as `stop`.
      void setTimeout(() => {
        if (this.resumed.get(chatId) === attempt) answers.stop(id);
      });
    abortSignal?.addEventListener('abort', stop, { once: true });
    return answers.parts(id, true);
  }

  /**
   * Has the answer in progress consider a message, if the server listens (`onSteer`).
   * @returns whether it was sent; otherwise there is no answer in progress, or no connection
   */
  steer(chatId: string, message: unknown): boolean {
    return this.of(chatId).steer(message);
  }

  /**
   * Calls back when an answer is in progress that this page does not read, because another page asked for it, or this
   * one before it was loaded again: load the messages and call `resumeStream`.
   * @returns a function that ends it
   */
  onAnswer(chatId: string, begun: () => unknown): () => void {
    const answers = this.of(chatId);
    answers.joined().catch(() => {});
    return answers.watch(begun);
  }

  private of(chatId: string): Answers {
    const { pusher, channel = (id) => `private-chat-${id}`, event = 'answer' } = this.options;
    return Answers.on(pusher, channel(chatId), event);
  }

  /** Not aborted: the answer can be stopped only once its id is known. */
  private async post({ chatId: id, headers, body, ...question }: Omit<Send<Message>, 'abortSignal'>): Promise<string> {
    const { api = '/api/chat', headers: own, fetch = globalThis.fetch } = this.options;
    const all = new Headers(typeof own === 'function' ? own() : own);
    new Headers(headers).forEach((value, name) => all.set(name, value));
    all.set('content-type', 'application/json');
    const { messages, trigger, messageId } = question;
    const content = JSON.stringify({ ...body, id, messages, trigger, messageId });
    const response = await fetch(api, { method: 'POST', headers: all, body: content });
    const text = await response.text();
    if (!response.ok) throw new Error(text || `${api} answers ${response.status}`);
    const { stream } = JSON.parse(text) as { readonly stream?: unknown };
    if (typeof stream !== 'string') throw new Error(`${api} must answer {"stream":"<id>"}, got ${text.slice(0, 100)}`);
    return stream;
  }
}
