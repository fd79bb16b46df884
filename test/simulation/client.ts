import { subscriptionText, tokenFor } from 'rookery/internal/channels';
import { clientEventIn, type SentClientEvents } from './client-events.js';
import { allowsClientEvents, app, hasMembers, isKept, isPassing } from './cluster-options.js';
import type { ServingNode } from './node.js';
import { Party } from '../../libs/testing/src/simulation/party.js';
import { Reading } from './reading.js';
import type { Accepted, Record } from './record.js';
import { SimulatedConnection } from '../../libs/testing/src/simulation/simulated-connection.js';
import type { ToClient } from '../../libs/testing/src/simulation/simulated-transport.js';
import type { Wire } from '../../libs/testing/src/simulation/wire.js';
import type { World } from '../../libs/testing/src/simulation/world.js';

const retryMs = 1000;
const patience = { activityMs: 10_000, pongMs: 5000 };
/** How many connections of a session are remembered, with the current one (channels-wire §12). */
const keptConnections = 8;
/** Of an error: more client events within a second than are allowed. */
const tooManyCode = 4301;

interface Frame {
  readonly event: string;
  readonly channel?: string;
  readonly data?: string;
  readonly user_id?: string;
  readonly position?: string;
  readonly replayed?: true;
}

/** One channel as the client sees it. */
export interface View {
  isConfirmed: boolean;
  readonly askedAt: number;
  /**
   * Whether the user may be one too many: no limit kept them away if the store was away between the subscribe and its
   * confirmation, or that of another connection of the same user.
   */
  mayExceed: boolean;
  /** With the info of each, as JSON. */
  readonly members: Map<string, string>;
  count: number | undefined;
  /** The client events, where they are not kept although other events are. */
  readonly passing: Reading;
}

interface Socket {
  /** Among the connections of all clients. */
  readonly name: string;
  /** The name of the node. */
  readonly node: string;
  readonly sent: SentClientEvents;
  readonly connection: SimulatedConnection;
  /** How many answers to subscribes are due, by channel. */
  readonly asked: Map<string, number>;
}

/** What a client is. */
export interface ClientKind {
  readonly user: string;
  /** Whether it continues its session when it reconnects. */
  readonly hasSession: boolean;
}

/** The nodes, as their clients know them. */
export interface Servers {
  /** One that clients can connect to, always the same for a number. */
  nodeFor(number: number): ServingNode | undefined;
  /** Whether answers of the store overtake each other. */
  readonly isLoose: boolean;
  /** Whether a node was killed, or has ended. */
  readonly hasKilled: boolean;
}

/** A browser with pusher-js: it subscribes to what it wants, and reconnects to another node until it is told to leave. */
export class Client {
  readonly party: Party;
  readonly views = new Map<string, View>();
  /** The channels that the page wants, with what it has received of each. */
  readonly readings = new Map<string, Reading>();
  isWanted = false;
  /** Until when it asks again for a channel that refuses it. */
  asksUntil = Infinity;
  /** How many events it got. */
  deliveries = 0;
  gaps = 0;
  private socket: Socket | undefined;
  private socketId: string | undefined;
  /** Channels that the page has left on this connection. */
  private readonly left = new Set<string>();
  /** Channels of which the store does not know that the client was on them. */
  private readonly unknown = new Set<string>();
  /** How often it has connected since the store lost its session. */
  private connections = 0;
  private sockets = 0;
  private pages = 0;
  /** The names of all connections of the page. */
  private ofPage = new Set<string>();
  private readonly random;

  constructor(
    private readonly world: World,
    private readonly cluster: Servers,
    private readonly record: Record,
    readonly number: number,
    readonly kind: ClientKind,
  ) {
    this.party = new Party(`client ${number}`);
    this.random = world.random(this.party.name);
  }

  get isConnected(): boolean {
    return this.socketId !== undefined;
  }

  /** How many client events of its connection were neither accepted nor refused. */
  get unansweredEvents(): number {
    return this.socket?.sent.unanswered ?? 0;
  }

  connect(): void {
    if (this.isWanted) return;
    this.isWanted = true;
    this.pages += 1;
    this.ofPage = new Set();
    this.open();
  }

  disconnect(): void {
    this.isWanted = false;
    this.socket?.connection.up.send({ kind: 'close', code: 1000 });
    this.forget();
    this.readings.clear();
  }

  subscribe(channel: string): void {
    if (!this.isWanted || this.readings.has(channel)) return;
    this.readings.set(channel, this.reading(channel));
    if (this.isConnected) this.askFor(channel);
  }

  /** Sends client events to the others on a channel. */
  say(channel: string, times: number): void {
    const { socket, kind } = this;
    if (!socket || !this.views.get(channel)?.isConfirmed || !allowsClientEvents(channel)) return;
    for (let left = times; left > 0; left--) {
      const data = `${kind.user} ${socket.name} ${socket.sent.next()}`;
      socket.connection.sendText(JSON.stringify({ event: 'client-said', channel, data }));
    }
  }

  unsubscribe(channel: string): void {
    if (!this.readings.delete(channel)) return;
    this.unknown.delete(channel);
    this.views.delete(channel);
    this.left.add(channel);
    if (this.isConnected) this.send('pusher:unsubscribe', { channel });
  }

  /** The connection breaks. @param isSilent whether the node hears nothing of it */
  breakOff(isSilent: boolean): void {
    const { socket } = this;
    if (!socket) return;
    if (isSilent) socket.connection.up.cut();
    else socket.connection.up.send({ kind: 'end' });
    this.retry(retryMs * this.random.next());
  }

  stall(milliseconds: number): void {
    this.socket?.connection.up.stall(milliseconds);
    this.socket?.connection.down.stall(milliseconds);
  }

  /** The store lacks what it was told since then. */
  isForgotten(since: number): void {
    for (const reading of this.readings.values()) reading.forget(since, this.world.now);
  }

  /** The store lacks its session: it is told of a gap on each channel to which it comes back. */
  isUnknown(): void {
    this.connections = 0;
    for (const channel of this.readings.keys()) if (this.continues(channel)) this.unknown.add(channel);
  }

  private open(): void {
    if (!this.isWanted || this.socket) return;
    const { world, number } = this;
    const node = this.cluster.nodeFor(this.random.below(1000));
    if (!node) return this.retry(retryMs);
    const name = `${number}.${(this.sockets += 1)}`;
    this.ofPage.add(name);
    const session = this.kind.hasSession ? sessionOf(number, this.pages) : undefined;
    const to = { party: node.party, accept: (down: Wire<ToClient>) => node.accept(session, down) };
    const [sent, asked] = [this.record.sentBy(name), new Map<string, number>()];
    this.socket = {
      name,
      node: node.name,
      sent,
      asked,
      connection: new SimulatedConnection(world, `client ${name}`, this, to, patience),
    };
  }

  private retry(delayMs: number): void {
    this.forget();
    this.world.after(delayMs, () => this.open(), this.party);
  }

  private forget(): void {
    this.socket?.connection.forget();
    this.socket = undefined;
    this.socketId = undefined;
    this.views.clear();
    this.left.clear();
  }

  texts(texts: readonly string[], sentAt: number): void {
    for (const text of texts) this.frame(JSON.parse(text) as Frame, sentAt);
  }

  over(code: number | undefined): void {
    if (code === undefined) return this.retry(retryMs * this.random.next());
    this.retry(code === 4200 ? 0 : retryMs);
  }

  silent(): void {
    this.breakOff(false);
  }

  private frame(frame: Frame, sentAt: number): void {
    const { event, channel = '', data = '' } = frame;
    switch (event) {
      case 'pusher:connection_established':
        return this.established((JSON.parse(data) as { socket_id: string }).socket_id);
      case 'pusher:ping':
        return this.send('pusher:pong', {});
      case 'pusher:pong':
      case 'pusher:cache_miss':
        return;
      case 'pusher:error':
        this.world.note(event);
        return this.refused(frame);
      case 'pusher:subscription_error':
        // Because the store did not answer: the page asks again.
        this.world.note(`${event} ${channel}`);
        if (this.isLastAnswer(channel)) this.askAgain(channel);
        return;
      case 'pusher_internal:subscription_succeeded':
        if (this.isLastAnswer(channel)) this.confirmed(channel, data, sentAt);
        return;
      default:
        // What was on its way when the page left the channel, or asked for it again.
        if (this.views.get(channel)?.isConfirmed) this.heard(frame);
        else if (!this.left.has(channel)) this.fail(`${event} of ${channel} arrived before the confirmation`);
    }
  }

  private established(socketId: string): void {
    this.world.note('is connected');
    this.socketId = socketId;
    this.connections += 1;
    // By another channel, the store knows the session, and not that something is missing.
    if (this.connections > 1 && [...this.readings.keys()].filter((channel) => this.continues(channel)).length > 1)
      for (const channel of this.unknown) this.readings.get(channel)?.beginAgain();
    for (const channel of this.readings.keys()) {
      // Without a session, a new connection begins anew.
      if (!this.continues(channel)) this.readings.set(channel, this.reading(channel));
      this.askFor(channel);
    }
  }

  /** The page's connections that a session remembers, whose events are not replayed to it. */
  private get lately(): readonly string[] {
    return [...this.ofPage].slice(-keptConnections);
  }

  private reading(channel: string): Reading {
    const mayMiss = (event: Accepted): boolean =>
      !this.continues(channel) && this.socket !== undefined && this.record.mayBeMissed(event, this.socket.node);
    return new Reading(this.record.of(channel), this.ofPage, mayMiss);
  }

  private continues(channel: string): boolean {
    return this.kind.hasSession && isKept(channel);
  }

  /** Whether this answer is to the last subscribe: the page may have left the channel and asked again meanwhile. */
  private isLastAnswer(channel: string): boolean {
    const asked = this.socket?.asked;
    const left = (asked?.get(channel) ?? 1) - 1;
    asked?.set(channel, left);
    return left === 0 && this.views.has(channel);
  }

  private confirmed(channel: string, data: string, sentAt: number): void {
    const view = this.views.get(channel)!;
    this.world.note(`is on ${channel}`);
    view.isConfirmed = true;
    view.mayExceed = this.record.mayExceed(channel, this.kind.user, view.askedAt);
    this.readings.get(channel)!.confirmed(sentAt, this.unknown.delete(channel));
    view.passing.confirmed(sentAt);
    if (hasMembers(channel)) for (const [id, info] of rosterIn(data)) view.members.set(id, info);
  }

  private heard(frame: Frame): void {
    const { event, channel = '', data = '', position, replayed } = frame;
    const view = this.views.get(channel)!;
    const reading = this.readings.get(channel)!;
    this.world.note(`${event} ${channel} ${data}`);
    switch (event) {
      case 'pusher_internal:member_added':
        return this.came(view.members, channel, memberIn(data));
      case 'rookery:member_updated':
        return;
      case 'pusher_internal:member_removed':
        return this.went(view.members, channel, memberIn(data));
      case 'pusher_internal:subscription_count':
        view.count = (JSON.parse(data) as { subscription_count: number }).subscription_count;
        return;
      case 'rookery:gap':
        this.gaps += 1;
        return reading.gap();
      default: {
        this.deliveries += 1;
        const isClients = event === 'client-said';
        const expected = isClients && isPassing(channel) ? view.passing : reading;
        const wrong = isClients ? this.wrongSender(frame) : undefined;
        const broken = expected.event(data, position, replayed ?? false) ?? wrong;
        if (broken !== undefined) this.fail(`${broken} on ${channel}`);
      }
    }
  }

  /** An event of an earlier connection of the page is no echo, unless it is replayed to the page's session. */
  private wrongSender({ channel = '', data = '', user_id: user, replayed }: Frame): string | undefined {
    const sender = clientEventIn(data)!;
    if (sender.connection === this.socket!.name || (replayed && this.lately.includes(sender.connection)))
      return `${data} arrived at its sender`;
    const should = hasMembers(channel) ? sender.user : undefined;
    return user === should ? undefined : `${data} arrived as of ${user} instead of ${should}`;
  }

  private refused({ data }: Frame): void {
    // The one frame whose data is an object.
    const { code } = data as unknown as { readonly code: number | null };
    const broken = code === tooManyCode ? this.socket!.sent.tooMany() : undefined;
    if (broken !== undefined) this.fail(broken);
  }

  /** Also if they were there with another info: they were updated. */
  private came(members: Map<string, string>, channel: string, [user, info]: SeenMember): void {
    // After an outage, a node tells all its clients what the first of them had not known.
    if (members.get(user) === info && !this.record.mayTellTwice(this.world.now))
      this.fail(`${channel}: it was told that ${user} came, who was there`);
    members.set(user, info);
  }

  private went(members: Map<string, string>, channel: string, [user]: SeenMember): void {
    // After a failover, a node tells all its clients that a member left, though the roster of some lacked them already.
    // Where answers overtake each other, a client may be told that a member left whose coming died with a node.
    const mayBeLost = this.record.mayTellTwice(this.world.now) || (this.cluster.isLoose && this.cluster.hasKilled);
    if (!members.delete(user) && !mayBeLost) this.fail(`${channel}: it was told that ${user} left, who was gone`);
  }

  private askFor(channel: string): void {
    const { asked } = this.socket!;
    asked.set(channel, (asked.get(channel) ?? 0) + 1);
    const passing = new Reading(this.record.passingOf(channel), this.ofPage, () => false);
    const askedAt = this.world.now;
    this.views.set(channel, {
      isConfirmed: false,
      askedAt,
      mayExceed: false,
      members: new Map(),
      count: undefined,
      passing,
    });
    const channelData = hasMembers(channel) ? JSON.stringify({ user_id: this.kind.user }) : undefined;
    const isOpen = !channel.startsWith('private-') && channelData === undefined;
    const auth = isOpen ? undefined : tokenFor(app, subscriptionText(this.socketId!, channel, channelData));
    this.send('pusher:subscribe', { channel, auth, channel_data: channelData });
  }

  private askAgain(channel: string): void {
    const view = this.views.get(channel);
    if (this.world.now > this.asksUntil) return;
    // Unless the page has left the channel or asked anew meanwhile, or its connection has ended.
    this.world.after(retryMs, () => {
      if (view && this.views.get(channel) === view) this.askFor(channel);
    });
  }

  private send(event: string, data: object): void {
    this.socket?.connection.send(event, data);
  }

  private fail(rule: string): void {
    this.world.fail(`client ${this.number} (${this.kind.hasSession ? 'with' : 'without'} a session): ${rule}`);
  }
}

/** A user and their info, as JSON. */
type SeenMember = readonly [user: string, info: string];

const seenMember = (user: string, info: unknown): SeenMember => [user, JSON.stringify(info ?? null)];

function memberIn(data: string): SeenMember {
  const { user_id: user, user_info: info } = JSON.parse(data) as {
    readonly user_id: string;
    readonly user_info?: unknown;
  };
  return seenMember(user, info);
}

function rosterIn(data: string): readonly SeenMember[] {
  const { presence } = JSON.parse(data) as { readonly presence: { readonly hash: object } };
  return Object.entries(presence.hash).map(([user, info]) => seenMember(user, info));
}

const sessionOf = (client: number, page: number): string => `simulated-session-${client}-${page}`;
