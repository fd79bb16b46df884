import { randomUUID } from 'node:crypto';
import { signinText, subscriptionText, tokenFor } from 'rookery/internal/channels';
import { type CloseEvent, type MessageEvent, WebSocket } from 'undici';
import { until } from '../until.js';
import { type RecordedEvent, recordedEvent } from './recorded-event.js';
import { StallingAgent } from './stalling-agent.js';

/** The credentials with which a client signs its subscriptions, in place of an authorization endpoint. */
export interface AppCredentials {
  readonly key: string;
  readonly secret: string;
}

/** A member of a presence channel. */
export interface TestMember {
  readonly id: string;
  readonly info?: unknown;
}

/** The user to sign in. */
export interface TestUser extends TestMember {
  readonly watchlist?: readonly string[];
}

/** The options of a client. */
export interface TestClientOptions {
  /** `ws://127.0.0.1:<port>`, with the path before `/app`. */
  readonly url: string;
  readonly app: AppCredentials;
  /** Headers of the upgrade request, such as a cookie for a host that authorizes on the socket. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it signs its subscriptions. Not needed for a host that authorizes on the socket. @default true */
  readonly signs?: boolean;
}

/** A client on a real WebSocket that records everything it receives. It answers pings as browsers and SDKs do. */
export class TestClient {
  /** Everything received, including the protocol's own frames. */
  readonly events: RecordedEvent[] = [];
  /** Why the server closed it, or `undefined` while it is open. */
  closed: { readonly code: number; readonly reason: string } | undefined;
  private readonly agent = new StallingAgent();
  private readonly socket: WebSocket;
  private readonly taken = new Set<RecordedEvent>();
  private isPaused = false;

  private constructor(private readonly options: TestClientOptions) {
    const { url, app, headers } = options;
    const { dispatcher } = this.agent;
    const address = `${url}/app/${app.key}?protocol=7&client=rookery-testing`;
    this.socket = new WebSocket(address, { dispatcher, headers: { ...headers } });
    this.socket.addEventListener('message', ({ data }: MessageEvent) => this.received(String(data)));
    this.socket.addEventListener('close', ({ code, reason }: CloseEvent) => {
      this.closed = { code, reason };
      void this.agent.close();
    });
    // A failed connection is closed, too.
    this.socket.addEventListener('error', () => {});
  }

  /** Connects, and waits for the greeting. Throws the code and reason if the server closes instead. */
  static async connect(options: TestClientOptions): Promise<TestClient> {
    const client = new TestClient(options);
    await until(() => client.has('pusher:connection_established') || client.closed !== undefined, 'it is connected');
    const { closed } = client;
    if (closed) throw new Error(`The server closed the connection: ${closed.code} ${closed.reason}`);
    return client;
  }

  /** `<number>.<number>` */
  get socketId(): string {
    const greeting = this.events.find(({ event }) => event === 'pusher:connection_established');
    // A client is only returned after the greeting.
    return (greeting!.data as { readonly socket_id: string }).socket_id;
  }

  /**
   * Subscribes, signing with the app's secret where the channel needs it. Returns the data of the server's
   * confirmation; throws the error that came instead.
   *
   * @param member the member, on presence channels
   */
  async subscribe(channel: string, member?: TestMember): Promise<unknown> {
    const memberJson = member && JSON.stringify({ user_id: member.id, user_info: member.info });
    const auth = this.sign(subscriptionText(this.socketId, channel, memberJson));
    const answer = await this.ask(
      { event: 'pusher:subscribe', data: { channel, auth, channel_data: memberJson } },
      (each) => each.channel === channel && /:subscription_(succeeded|error)$/.test(each.event),
    );
    return accepted(answer, 'pusher_internal:subscription_succeeded');
  }

  unsubscribe(channel: string): void {
    this.send({ event: 'pusher:unsubscribe', data: { channel } });
  }

  /** Signs a user in, signing with the app's secret, and receives the user's events, as pusher-js does. */
  async signin({ id, info, watchlist }: TestUser): Promise<unknown> {
    const userJson = JSON.stringify({ id, user_info: info, watchlist });
    const data = { auth: this.sign(signinText(this.socketId, userJson)), user_data: userJson };
    const answer = await this.ask({ event: 'pusher:signin', data }, ({ event }) => event === 'pusher:signin_success');
    const user = accepted(answer, 'pusher:signin_success');
    await this.subscribe(`#server-to-user-${id}`);
    return user;
  }

  /** Sends an event to the other subscribers of a private or presence channel; its name begins with `client-`. */
  trigger(channel: string, event: string, data: unknown): void {
    this.send({ event, channel, data });
  }

  /**
   * Asks a method of the application (`@OnRequest`).
   *
   * @param channel one that it has subscribed to; undefined for a request without a channel
   * @returns the reply; throws an `Error` with its `status` and message
   */
  async request(channel: string | undefined, name: string, data?: unknown): Promise<unknown> {
    const id = randomUUID();
    const before = this.events.length;
    const answer = await this.ask({ event: 'rookery:request', channel, data: { id, name, data } }, (each) => {
      const reply = each.data as Reply;
      return (each.event === 'rookery:reply' && reply.id === id) || (reply.stream === id && reply.end === 'done');
    });
    if (answer?.event === 'rookery:reply_piece') {
      const pieces = this.events.slice(before).map((each) => each.data as Reply);
      return JSON.parse(pieces.map(({ stream, text }) => (stream === id ? text : '')).join(''));
    }
    const { data: reply, error } = accepted(answer, 'rookery:reply') as Reply;
    if (error) throw Object.assign(new Error(error.message), { status: error.status });
    return reply;
  }

  /** Sends a frame unchanged. */
  send(frame: object): void {
    this.socket.send(JSON.stringify(frame));
  }

  /** Takes the first event with that name that was not taken yet, waiting for it if necessary. */
  async next(event: string): Promise<RecordedEvent> {
    const arrived = () => this.events.find((each) => each.event === event && !this.taken.has(each));
    await until(() => arrived() !== undefined, `${event} arrives`);
    const next = arrived()!;
    this.taken.add(next);
    return next;
  }

  /** Waits for everything that the server has sent until now, unless the connection is stalled. */
  async settled(): Promise<void> {
    const pongs = (): number => this.events.filter(({ event }) => event === 'pusher:pong').length;
    // A pong may overtake events that the server writes at the end of the same turn.
    for (let pings = 0; pings < 2 && !this.closed && !this.isPaused; pings++) {
      const before = pongs();
      this.send({ event: 'pusher:ping', data: {} });
      await until(() => pongs() > before || this.closed !== undefined, 'the server answers a ping');
    }
  }

  /** Stops reading and answering, like a client without a network. */
  pause(): void {
    this.isPaused = true;
    this.agent.pause();
  }

  /** Resumes reading, beginning with what arrived meanwhile. */
  resume(): void {
    this.isPaused = false;
    this.agent.resume();
  }

  /** Waits until the server has closed the connection. */
  async closing(): Promise<{ readonly code: number; readonly reason: string }> {
    await until(() => this.closed !== undefined, 'the connection is closed');
    return this.closed!;
  }

  async close(): Promise<void> {
    this.socket.close();
    this.resume();
    await until(() => this.closed !== undefined, 'the connection is closed');
  }

  private has(event: string): boolean {
    return this.events.some((each) => each.event === event);
  }

  private received(text: string): void {
    const event = recordedEvent(text);
    this.events.push(event);
    if (event.event === 'pusher:ping') this.send({ event: 'pusher:pong', data: {} });
  }

  private sign(text: string): string | undefined {
    return this.options.signs === false ? undefined : tokenFor(this.options.app, text);
  }

  /** Sends a question, and waits for its answer, an error, or the close. */
  private async ask(question: object, isAnswer: (event: RecordedEvent) => boolean): Promise<RecordedEvent | undefined> {
    const before = this.events.length;
    this.send(question);
    const answer = () => this.events.slice(before).find((each) => isAnswer(each) || each.event === 'pusher:error');
    await until(() => answer() !== undefined || this.closed !== undefined, `${JSON.stringify(question)} is answered`);
    return answer();
  }
}

/** Of a reply, or of a piece of a long one (channels-wire §17). */
interface Reply {
  readonly id?: string;
  readonly data?: unknown;
  readonly error?: { readonly status: number; readonly message: string };
  readonly stream?: string;
  readonly text?: string;
  readonly end?: 'done';
}

/** The data of the expected answer; throws any other. */
function accepted(answer: RecordedEvent | undefined, hopedFor: string): unknown {
  if (answer?.event === hopedFor) return answer.data;
  throw new Error(`The server refused: ${JSON.stringify(answer?.data ?? 'it closed the connection')}`);
}
