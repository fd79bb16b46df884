import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { signed } from '../support/channels-api.js';
import { instance } from '../support/push-app.js';
import { type Frame, SocketClient } from '../support/socket-client.js';
import type { StandInFcm } from '../support/stand-ins/index.js';
import { until } from '../support/until.js';
import type { WebhookReceiver } from '../support/webhook-receiver.js';
import { Latencies, type Subject } from './latencies.js';

/** How much of everything happens in a second. */
const rates = { eventsOfEachChannel: 5, visits: 6, publishes: 3 };

/** How many users are where. Rude clients join and leave the square and the lobby, and subscribe to the feed and the news. */
const places: Readonly<Record<string, number>> = {
  square: 12,
  'presence-lobby': 12,
  feed: 2,
  'history-news': 4,
  'private-a': 20,
  'private-b': 20,
};
/** Bytes of events; elsewhere, they are short. */
const large: Readonly<Record<string, number>> = { feed: 10_000, 'history-news': 10_000 };
const deviceCount = 10;
const visitMs = 400;
const maxLateMs = 1000;
/** What webhooks report of a visit, in this order. */
const arrival = ['channel_occupied', 'member_added'];
const departure = ['member_removed', 'channel_vacated'];
const wholeVisit = [...arrival, ...departure];

interface Cause {
  /** When it was due. What had to wait for its turn has waited since then, as a user would. */
  readonly at: number;
  readonly latencies: Latencies;
}

interface Reader {
  readonly user: string;
  readonly channel: string;
  next: number;
}

interface Visit {
  readonly came: Cause;
  left?: Cause;
  readonly reported: string[];
}

interface ReportedEvent {
  readonly name: string;
  readonly channel: string;
}

interface Surroundings {
  readonly port: number;
  readonly receiver: WebhookReceiver;
  readonly google: StandInFcm;
  /** How long the server holds webhooks of departures. */
  readonly holdMs: number;
  /** Whether the server has states, which visits then show. */
  readonly hasStates?: boolean;
}

/** Pages, an application and devices that behave, and a record of all that they must get. */
export class RealUsers {
  /** Those of what is caused from now on. */
  latencies = new Latencies();
  /** Whatever was not as promised. */
  readonly wrong: string[] = [];
  private readonly events = new Map<string, Cause[]>(Object.keys(places).map((channel) => [channel, []]));
  private readonly readers: Reader[] = [];
  private readonly visits = new Map<string, Visit>();
  private readonly publishes: (Cause & { id: string })[] = [];
  /** The publishes that each device got. */
  private readonly pushes = new Map<string, Set<number>>();
  private pushesSeen = 0;
  private readonly sockets: WebSocket[] = [];
  private running: readonly Promise<void>[] = [];
  /** What others do not wait for. */
  private readonly alongside = new Set<Promise<void>>();
  private isStopped = false;

  private constructor(private readonly around: Surroundings) {
    around.receiver.otherwise = (response, { rawBody }) => {
      response.end();
      const { events } = JSON.parse(rawBody) as { readonly events: readonly ReportedEvent[] };
      for (const event of events) this.reported(event);
    };
  }

  static async start(around: Surroundings): Promise<RealUsers> {
    const users = new RealUsers(around);
    for (const [channel, count] of Object.entries(places))
      for (let n = 0; n < count; n++) await users.page(channel, `user-${n}`);
    for (let n = 0; n < deviceCount; n++) await users.device(`device-${n}`);
    users.running = [
      ...Object.keys(places).map((channel) =>
        users.paced(rates.eventsOfEachChannel, (dueAt) => users.trigger(channel, dueAt)),
      ),
      users.paced(rates.visits, (dueAt) => users.beside(users.visit(dueAt))),
      users.paced(rates.publishes, (dueAt) => users.beside(users.publish(dueAt))),
    ];
    return users;
  }

  /** Causes nothing more, and waits until everything has arrived, or is very late. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all(this.running);
    await Promise.all(this.alongside);
    await until(() => this.missing.length === 0, 'everything has arrived', 15_000).catch(() => undefined);
    this.wrong.push(...this.missing);
    for (const { id } of this.publishes) await this.checkOutcome(id);
    for (const socket of this.sockets) socket.terminate();
  }

  /** What there was to get. */
  get caused(): string {
    const events = [...this.events.values()].reduce((sum, all) => sum + all.length, 0);
    return `${this.readers.length} users, ${events} events, ${this.visits.size} visits, ${this.publishes.length} publishes`;
  }

  private get missing(): readonly string[] {
    this.takePushes();
    return [
      ...this.readers
        .filter(({ channel, next }) => next < this.events.get(channel)!.length)
        .map(({ user, channel, next }) => `${user} did not get event ${next} of ${channel}`),
      ...Array.from(this.visits)
        .filter(([, { reported }]) => reported.length < wholeVisit.length)
        .map(([channel, { reported }]) => `only ${reported.join() || 'nothing'} of ${channel} was reported`),
      ...Array.from(this.pushes)
        .filter(([, got]) => got.size < this.publishes.length)
        .map(([token, got]) => `${token} got ${got.size} of ${this.publishes.length} publishes`),
    ];
  }

  /** Other users do not wait for it: one that is late delays no further ones. */
  private beside(done: Promise<void>): void {
    const settled = done
      .catch((error: unknown) => void this.wrong.push(String(error)))
      .finally(() => this.alongside.delete(settled));
    this.alongside.add(settled);
  }

  /**
   * Calls at a fixed rate, one after the other, with the time at which each call was due. What is a second late is left
   * out: a machine that is too slow for all of it would fall behind more and more.
   */
  private async paced(perSecond: number, call: (dueAt: number) => Promise<void> | void): Promise<void> {
    for (let dueAt = performance.now(); !this.isStopped;) {
      await sleep(Math.max(0, dueAt - performance.now()));
      await call(dueAt);
      dueAt = Math.max(dueAt + 1000 / perSecond, performance.now() - maxLateMs);
    }
  }

  private async page(channel: string, user: string): Promise<void> {
    const { socket } = await this.connected(channel, user);
    const reader = { user, channel, next: 0 };
    this.readers.push(reader);
    this.sockets.push(socket);
    // The counts and members that rude clients cause are not parsed: that would delay this process, not the server.
    socket.removeAllListeners('message');
    socket.on('message', (text: Buffer) => {
      if (text.includes('"event":"real"')) this.heard(reader, JSON.parse(text.toString()) as Frame);
    });
    socket.on('close', (code) => {
      if (!this.isStopped) this.wrong.push(`${user} of ${channel} was closed with ${code}`);
    });
  }

  private async connected(channel: string, user: string): Promise<SocketClient> {
    const client = await SocketClient.connect(this.around.port);
    await client.subscribe(channel, channel.startsWith('presence-') ? { user_id: user } : undefined);
    return client;
  }

  private heard(reader: Reader, { data }: Frame): void {
    const { user, channel, next } = reader;
    const { n } = JSON.parse(data as string) as { readonly n: number };
    if (n !== next) this.wrong.push(`${user} got event ${n} instead of ${next} of ${channel}`);
    reader.next = n + 1;
    took('events', this.events.get(channel)![n]!);
  }

  private async trigger(channel: string, at: number): Promise<void> {
    const events = this.events.get(channel)!;
    const data = JSON.stringify({ n: events.length, filling: 'x'.repeat(large[channel] ?? 100) });
    events.push(this.cause(at, places[channel]!));
    const { method, url, body } = signed('POST', '/events', { name: 'real', channel, data });
    await this.ask(method, url, String(body));
  }

  /** A user opens a page on a channel of its own, and closes it. */
  private async visit(at: number): Promise<void> {
    const channel = `presence-visit-${this.visits.size}`;
    const visit: Visit = { came: this.cause(at, arrival.length), reported: [] };
    this.visits.set(channel, visit);
    const client = await this.connected(channel, 'visitor');
    if (this.around.hasStates) await this.seeState(client, `state.${channel}`);
    void this.leave(client, visit);
  }

  private async seeState(client: SocketClient, channel: string): Promise<void> {
    const asked = this.cause(performance.now(), 1);
    await client.subscribe(channel);
    await client.next('rookery:state');
    took('states', asked);
  }

  private async leave(client: SocketClient, visit: Visit): Promise<void> {
    await sleep(visitMs);
    visit.left = this.cause(performance.now() + this.around.holdMs, departure.length);
    client.close();
    await once(client.socket, 'close');
  }

  private reported({ name, channel }: ReportedEvent): void {
    const visit = this.visits.get(channel);
    if (!visit) return;
    const { reported, came, left } = visit;
    const expected = wholeVisit[reported.length] ?? 'nothing';
    if (name !== expected) this.wrong.push(`${name} of ${channel} was reported instead of ${expected}`);
    reported.push(name);
    took('webhooks', arrival.includes(name) ? came : left!);
  }

  private async device(token: string): Promise<void> {
    const devices = `/device_api/v1/instances/${instance.id}/devices/fcm`;
    const { id } = (await this.ask('POST', devices, JSON.stringify({ token }))) as { readonly id: string };
    await this.ask('POST', `${devices}/${id}/interests/alerts`);
    this.pushes.set(token, new Set());
  }

  private async publish(at: number): Promise<void> {
    const body = { interests: ['alerts'], fcm: { data: { n: String(this.publishes.length) } } };
    const publish = { ...this.cause(at, deviceCount), id: '' };
    this.publishes.push(publish);
    publish.id = ((await this.askAsInstance('POST', '', body)) as { readonly publishId: string }).publishId;
    this.takePushes();
  }

  private takePushes(): void {
    for (const { token, at, message } of this.around.google.received.slice(this.pushesSeen)) {
      this.pushesSeen++;
      const n = Number(message.data.n);
      const got = this.pushes.get(token)!;
      if (got.has(n)) this.wrong.push(`${token} got publish ${n} twice`);
      got.add(n);
      took('pushes', this.publishes[n]!, at);
    }
  }

  private async checkOutcome(id: string): Promise<void> {
    const { platforms } = (await this.askAsInstance('GET', `/${id}`)) as PublishState;
    if (platforms.fcm.sent !== deviceCount) this.wrong.push(`publish ${id} was sent ${platforms.fcm.sent} times`);
  }

  private cause(at: number, count: number): Cause {
    this.latencies.expect(count);
    return { at, latencies: this.latencies };
  }

  private askAsInstance(method: string, path: string, body?: object): Promise<unknown> {
    const publishes = `/publish_api/v1/instances/${instance.id}/publishes${path}`;
    return this.ask(method, publishes, body && JSON.stringify(body), { authorization: `Bearer ${instance.secretKey}` });
  }

  private async ask(method: string, path: string, body?: string, headers: object = {}): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${this.around.port}${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}

interface PublishState {
  readonly platforms: { readonly fcm: { readonly sent: number } };
}

const took = (subject: Subject, { at, latencies }: Cause, now = performance.now()): void =>
  latencies.took(subject, now - at);
