import { RequestFailed } from './request-failed.mjs';

/** The parts of pusher-js in use. */
export interface AskingClient {
  readonly connection: { readonly state: string; bind(event: string, callback: () => void): unknown };
  send_event(event: string, data: unknown, channel?: string): boolean;
  bind(event: string, callback: (data: never) => void): unknown;
}

/** The parts of a pusher-js channel in use. */
export interface AskingChannel {
  readonly name: string;
  readonly subscribed: boolean;
  readonly pusher: AskingClient;
  bind(event: 'pusher:subscription_succeeded', callback: () => void): unknown;
}

/** How a request is made. */
export interface RequestOptions {
  /** When the promise is rejected at the latest, in milliseconds. @default 10000 */
  readonly timeoutMs?: number;
  /** Rejects the promise with its reason; what was asked may be carried out all the same. */
  readonly signal?: AbortSignal | undefined;
}

interface Question {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly channel: AskingChannel | undefined;
  readonly name: string;
  readonly data: unknown;
}

interface Pending extends Question {
  /** When it was first sent; undefined before. */
  sentAt?: number;
  /** Whether the reply is to come on the connection that is open now. */
  isSent: boolean;
  /** Of a reply in pieces, what has come. */
  json: string;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Reply {
  readonly id: string;
  readonly data?: unknown;
  readonly error?: { readonly status: number; readonly message: string; readonly unknown?: true };
}

interface Piece {
  /** The id of the request. */
  readonly stream: string;
  readonly at: number;
  readonly text: string;
  readonly end?: 'done';
}

/** The server remembers replies for two minutes: later, a request is not asked again. */
const rememberedMs = 100_000;

/** The requests of a client that wait for their replies. */
export class Requests {
  private readonly pending = new Map<string, Pending>();
  private readonly channels = new WeakSet<AskingChannel>();

  constructor(private readonly client: AskingClient) {
    client.bind('rookery:reply', (reply: Reply) => this.replied(reply));
    client.bind('rookery:reply_piece', (piece: Piece) => this.replyComes(piece));
    client.connection.bind('state_change', () => this.connectionChanged());
  }

  async ask(question: Question): Promise<unknown> {
    const { channel, signal, timeoutMs } = question;
    signal?.throwIfAborted();
    if (channel && !this.channels.has(channel)) {
      this.channels.add(channel);
      channel.bind('pusher:subscription_succeeded', () => this.sendAll());
    }
    const id = crypto.randomUUID();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let aborted = (): void => undefined;
    try {
      return await new Promise((resolve, reject) => {
        timer = setTimeout(() => reject(new RequestFailed(`No reply within ${timeoutMs} ms`, 'timeout')), timeoutMs);
        aborted = () => reject(signal!.reason);
        signal?.addEventListener('abort', aborted);
        this.pending.set(id, { ...question, isSent: false, json: '', resolve, reject });
        this.send(id);
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
      this.pending.delete(id);
    }
  }

  private connectionChanged(): void {
    if (this.client.connection.state === 'connected') return this.sendAll();
    for (const each of this.pending.values()) each.isSent = false;
  }

  private sendAll(): void {
    for (const id of this.pending.keys()) this.send(id);
  }

  private send(id: string): void {
    const request = this.pending.get(id)!;
    const { channel, name, data, sentAt, isSent } = request;
    if (isSent || this.client.connection.state !== 'connected' || channel?.subscribed === false) return;
    if (sentAt !== undefined && performance.now() - sentAt > rememberedMs)
      return request.reject(new RequestFailed('The connection was lost before the reply', 'unknown'));
    const asked = { id, name, data, ...(sentAt !== undefined && { again: true }) };
    if (!this.client.send_event('rookery:request', asked, channel?.name)) return;
    request.isSent = true;
    request.sentAt ??= performance.now();
  }

  private replied({ id, data, error }: Reply): void {
    const request = this.pending.get(id);
    if (error) request?.reject(new RequestFailed(error.message, error.unknown ? 'unknown' : 'refused', error.status));
    else request?.resolve(data);
  }

  private replyComes({ stream, at, text, end }: Piece): void {
    const request = this.pending.get(stream);
    if (!request) return;
    // One that is repeated on another connection begins anew.
    request.json = at === 0 ? text : request.json + text;
    if (end) request.resolve(JSON.parse(request.json));
  }
}
