import { accessOf, subscriptionText, signinText, tokenFor } from 'rookery/internal/channels';
import { type RecordedEvent, recordedEvent } from '../client/recorded-event.js';
import type { AppCredentials, TestMember, TestUser } from '../client/test-client.js';
import { Party } from './party.js';
import type { Pump } from './pump.js';
import type { SimulatedCluster } from './simulated-cluster.js';
import type { SimulatedProcess } from './simulated-process.js';
import type { SimulatedResponse } from './simulated-request.js';
import { clientLatency, SimulatedConnection } from './simulated-connection.js';
import type { ToClient } from './simulated-transport.js';
import { Wire } from './wire.js';
import type { World } from './world.js';

const retryMs = 1000;
/** As pusher-js. */
const patience = { activityMs: 120_000, pongMs: 30_000 };
/** How long a test waits for an answer, in simulated milliseconds. */
const answerMs = 60_000;

/** Options of `world.client`. */
export interface SimulatedClientOptions {
  /** Signs in as this user, on each connection. */
  readonly user?: string | TestUser;
  /** The headers of its requests and of its connection, such as a cookie. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Your endpoint that authorizes subscriptions. @default AuthorizationModule's; without it, the client signs with the
   * app's secret
   */
  readonly authEndpoint?: string;
  /** Your endpoint that signs users in. @default AuthorizationModule's; without it, the client signs itself */
  readonly userAuthEndpoint?: string;
  /** Continues with the events that it missed, on channels with a history. @default true */
  readonly session?: boolean;
  /** @default the first app of the settings */
  readonly app?: AppCredentials;
}

/** What a client needs of the simulation. */
export interface ClientParts {
  readonly world: World;
  readonly pump: Pump;
  readonly cluster: SimulatedCluster;
  readonly app: AppCredentials;
  readonly authEndpoint: string | undefined;
  readonly userAuthEndpoint: string | undefined;
}

interface Socket {
  readonly process: SimulatedProcess;
  readonly connection: SimulatedConnection;
}

/** A subscription that the page wants. */
interface Wanted {
  readonly member: TestMember | undefined;
  state: 'asked' | 'on' | 'refused';
}

interface Authorization {
  readonly auth?: string;
  readonly channel_data?: string;
}

/**
 * A browser with pusher-js, in the simulation: it connects to one of the processes, reconnects to another when that is
 * gone, and subscribes again.
 */
export class SimulatedClient {
  /** Everything received, including the protocol's own frames. */
  readonly events: RecordedEvent[] = [];
  /** @internal */
  readonly party: Party;
  private readonly wanted = new Map<string, Wanted>();
  private readonly taken = new Set<RecordedEvent>();
  /** Of the events of channels with a history. */
  private readonly places = new Set<string>();
  private socket: Socket | undefined;
  private socketId: string | undefined;
  private isSignedIn = false;
  private isWanted = true;
  private sockets = 0;
  private readonly random;

  /** @internal */
  constructor(
    private readonly parts: ClientParts,
    private readonly number: number,
    private readonly options: SimulatedClientOptions,
  ) {
    this.party = new Party(`client ${number}`);
    this.random = parts.world.random(this.party.name);
    parts.world.after(0, () => this.open(), this.party);
  }

  /** Whether it is connected and, if it has a user, signed in and on the user's channel: as `signin` of pusher-js. */
  get isConnected(): boolean {
    return this.socketId !== undefined && (this.isSignedIn || this.user === undefined);
  }

  /** The number of the process that it is connected to. */
  get process(): number | undefined {
    return this.isConnected ? this.socket?.process.number : undefined;
  }

  /** The channels that it is subscribed to at this time. */
  get channels(): readonly string[] {
    return [...this.wanted].filter(([, { state }]) => state === 'on').map(([channel]) => channel);
  }

  /** Whether it is connected, and each of its subscriptions is confirmed or refused. */
  get isSettled(): boolean {
    return !this.isWanted || (this.isConnected && [...this.wanted.values()].every(({ state }) => state !== 'asked'));
  }

  /** The data of all events with this name that it received, in order. */
  received(event: string): readonly unknown[] {
    return this.events.filter((each) => each.event === event).map(({ data }) => data);
  }

  /** Subscribes, and waits for the confirmation. Throws the server's or your endpoint's refusal. */
  async subscribe(channel: string, member?: TestMember): Promise<void> {
    const wanted: Wanted = { member, state: 'asked' };
    this.wanted.set(channel, wanted);
    this.later(() => this.ask(channel, wanted));
    await this.waitFor(() => wanted.state !== 'asked', `the subscription to ${channel}`);
    if (!this.channels.includes(channel)) {
      const refusals = this.events.filter((each) => each.channel === channel && each.event === refused);
      throw new Error(`The subscription to ${channel} was refused: ${JSON.stringify(refusals.at(-1)?.data)}`);
    }
  }

  unsubscribe(channel: string): void {
    this.wanted.delete(channel);
    this.later(() => this.send({ event: 'pusher:unsubscribe', data: { channel } }));
  }

  /** Sends an event to the other subscribers of a private or presence channel; its name begins with `client-`. */
  trigger(channel: string, event: string, data: unknown): void {
    this.later(() => this.send({ event, channel, data }));
  }

  /** Takes the first event with that name that was not taken yet, waiting for it if necessary. */
  async next(event: string): Promise<RecordedEvent> {
    const arrived = () => this.events.find((each) => each.event === event && !this.taken.has(each));
    await this.waitFor(() => arrived() !== undefined, event);
    const next = arrived()!;
    this.taken.add(next);
    return next;
  }

  /** Its connection breaks off: it connects again. */
  breakOff(): void {
    this.later(() => this.breakNow());
  }

  /** It leaves. */
  close(): void {
    this.isWanted = false;
    this.later(() => {
      this.socket?.connection.up.send({ kind: 'close', code: 1000 });
      this.forget();
    });
  }

  private get userChannel(): string | undefined {
    return this.user && `#server-to-user-${this.user.id}`;
  }

  private get user(): TestUser | undefined {
    const { user } = this.options;
    return typeof user === 'string' ? { id: user } : user;
  }

  private waitFor(isDone: () => boolean, what: string): Promise<void> {
    return this.parts.pump.expect(isDone, answerMs, `${this.party.name} waited a simulated minute for ${what}`);
  }

  private later(work: () => void): void {
    this.parts.world.after(0, work, this.party);
  }

  private open(): void {
    if (!this.isWanted || this.socket) return;
    const { world, cluster, app } = this.parts;
    const process = cluster.choose(this.random);
    if (!process) return this.retry(retryMs);
    const name = `${this.party.name}.${(this.sockets += 1)}`;
    const { session = true, headers = {} } = this.options;
    const asking = { key: app.key, session: session ? `simulated-session-${this.number}` : undefined, headers };
    const listener = {
      party: this.party,
      texts: (texts: readonly string[]) => {
        for (const text of texts) if (!this.isDouble(text)) this.frame(recordedEvent(text));
      },
      over: (code: number | undefined) => this.over(code),
      silent: () => this.breakNow(),
    };
    const to = { party: process.party, accept: (down: Wire<ToClient>) => process.accept(asking, down) };
    const connection = new SimulatedConnection(world, name, listener, to, patience);
    this.socket = { process, connection };
    // A process that dies before it has accepted says nothing.
    process.onEnd(() => connection.down.send({ kind: 'end' }));
  }

  private breakNow(): void {
    this.socket?.connection.up.send({ kind: 'end' });
    this.retry(retryMs * this.random.next());
  }

  private retry(delayMs: number): void {
    this.forget();
    this.parts.world.after(delayMs, () => this.open(), this.party);
  }

  private forget(): void {
    this.socket?.connection.forget();
    this.socket = undefined;
    this.socketId = undefined;
    this.isSignedIn = false;
    for (const wanted of this.wanted.values()) wanted.state = 'asked';
  }

  /** @param code of the server's close frame */
  private over(code: number | undefined): void {
    // As pusher-js: at once, later, or never (channels-wire § 1.5).
    if (code === undefined) return this.retry(retryMs * this.random.next());
    if (code >= 4000 && code < 4100) this.isWanted = false;
    this.retry(code >= 4200 ? 0 : retryMs);
  }

  /** Whether it was received before the connection broke, which the server did not learn: `@rookery/client` drops it. */
  private isDouble(text: string): boolean {
    const { channel, position, replayed } = JSON.parse(text) as {
      readonly channel?: string;
      readonly position?: string;
      readonly replayed?: true;
    };
    if (position === undefined) return false;
    const place = `${channel} ${position}`;
    if (this.places.has(place)) return replayed ?? false;
    this.places.add(place);
    return false;
  }

  private frame(received: RecordedEvent): void {
    const { event, channel = '', data } = received;
    this.events.push(received);
    this.parts.world.note(`${event} ${channel}`.trimEnd());
    const wanted = this.wanted.get(channel);
    if (event === 'pusher:connection_established') this.established((data as { socket_id: string }).socket_id);
    if (event === 'pusher:ping') this.send({ event: 'pusher:pong', data: {} });
    if (event === 'pusher:signin_success')
      this.send({ event: 'pusher:subscribe', data: { channel: this.userChannel } });
    if (event === 'pusher_internal:subscription_succeeded') {
      if (channel === this.userChannel) this.signedIn();
      if (wanted) wanted.state = 'on';
    }
    if (event === refused && wanted) wanted.state = 'refused';
  }

  private established(socketId: string): void {
    this.socketId = socketId;
    if (this.user) void this.signin(this.user);
    else this.askAll();
  }

  private signedIn(): void {
    this.isSignedIn = true;
    this.askAll();
  }

  private askAll(): void {
    for (const [channel, wanted] of this.wanted) this.ask(channel, wanted);
  }

  /** Asks for a channel as soon as it is connected. */
  private ask(channel: string, wanted: Wanted): void {
    if (!this.isConnected || this.wanted.get(channel) !== wanted) return;
    wanted.state = 'asked';
    const { socket } = this;
    void this.authorization(channel, wanted).then((authorization) => {
      if (this.socket !== socket || this.wanted.get(channel) !== wanted) return;
      if ('status' in authorization) this.refuse(channel, authorization);
      else this.send({ event: 'pusher:subscribe', data: { channel, ...authorization } });
    });
  }

  /** Your endpoint refused: pusher-js tells the page as if the server had. */
  private refuse(channel: string, { status, body }: SimulatedResponse): void {
    const data = { type: 'AuthError', error: body, status };
    this.frame({ event: refused, channel, data, rawData: data });
  }

  private async authorization(channel: string, { member }: Wanted): Promise<Authorization | SimulatedResponse> {
    if (accessOf(channel) === 'public' || this.socket!.process.authorizesOnSocket) return {};
    const { authEndpoint, app } = this.parts;
    const endpoint = this.options.authEndpoint ?? authEndpoint;
    if (endpoint !== undefined) return this.authorized(endpoint, { channel_name: channel });
    const data = member && JSON.stringify({ user_id: member.id, user_info: member.info });
    return { auth: tokenFor(app, subscriptionText(this.socketId!, channel, data)), channel_data: data };
  }

  private async signin(user: TestUser): Promise<void> {
    const { userAuthEndpoint, app } = this.parts;
    const endpoint = this.options.userAuthEndpoint ?? userAuthEndpoint;
    const { socket } = this;
    if (socket!.process.authorizesOnSocket) return this.send({ event: 'pusher:signin', data: {} });
    if (endpoint === undefined) {
      const data = JSON.stringify({ id: user.id, user_info: user.info, watchlist: user.watchlist });
      const auth = tokenFor(app, signinText(this.socketId!, data));
      return this.send({ event: 'pusher:signin', data: { auth, user_data: data } });
    }
    const answer = await this.authorized(endpoint, {});
    if (this.socket !== socket) return;
    if (!('status' in answer)) return this.send({ event: 'pusher:signin', data: answer });
    this.parts.world.fail(`${this.party.name} may not sign in: ${endpoint} answered ${answer.status} ${answer.body}`);
  }

  /** Asks an endpoint, again while it is not there. @returns the token, or the refusal */
  private async authorized(endpoint: string, asked: Readonly<Record<string, string>>) {
    const { socket, socketId } = this;
    for (;;) {
      const body = new URLSearchParams({ socket_id: socketId!, ...asked }).toString();
      const answer = await this.post(endpoint, body);
      if (answer?.status === 200) return JSON.parse(answer.body) as Authorization;
      if (answer && answer.status < 500) return answer;
      // The page asks again, unless it has another connection by then.
      await new Promise<void>((resolve) => void this.parts.world.after(retryMs, () => resolve(), this.party));
      if (this.socket !== socket) return new Promise<never>(() => {});
    }
  }

  /** @returns undefined if no process answered */
  private post(path: string, body: string): Promise<SimulatedResponse | undefined> {
    const { world, cluster } = this.parts;
    const process = cluster.choose(this.random);
    if (!process) return Promise.resolve(undefined);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', ...this.options.headers };
    return new Promise((resolve) => {
      const name = `${this.party.name} and ${process.name}`;
      const back = new Wire<SimulatedResponse | undefined>(
        world,
        `${name}, answers`,
        this.party,
        clientLatency,
        resolve,
      );
      const there = new Wire<void>(world, `${name}, requests`, process.party, clientLatency, () => {
        void process.request({ method: 'POST', path, headers, body }).then(
          (answer) => back.send(answer),
          () => back.send(undefined),
        );
      });
      process.onEnd(() => back.send(undefined));
      there.send();
    });
  }

  private send(frame: object): void {
    this.socket?.connection.sendText(JSON.stringify(frame));
  }
}

const refused = 'pusher:subscription_error';
