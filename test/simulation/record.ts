import { type BrokerMessage, InProcessBroker, type Position } from 'rookery/channels';
import { clientEventIn, SentClientEvents } from './client-events.js';
import { isPassing } from './cluster-options.js';
import { subjectOf } from './owed-webhooks.js';
import type { World } from '../../libs/testing/src/simulation/world.js';

/** An event of a channel, as the store accepted it. */
export interface Accepted {
  /** What the event's data says, unique in a run. */
  readonly id: string;
  /** When it was accepted, in the world's time. */
  readonly at: number;
  /** The connection that sent it, if one did. */
  readonly connection?: string | undefined;
  /** Whether the store failed over to a replica that lacks it. */
  isLost?: true;
}

/** The events of one channel, in the order in which the store accepted them. */
export class ChannelRecord {
  readonly events: Accepted[] = [];
  private readonly indices = new Map<string, number>();

  add(event: Accepted): void {
    this.indices.set(event.id, this.events.push(event) - 1);
  }

  /** Its place in the channel; -1 if the store never accepted it. */
  indexOf(id: string): number {
    return this.indices.get(id) ?? -1;
  }

  /** The store forgets what it accepted since then. */
  lose(since: number): void {
    for (const event of this.events.slice(this.countAt(since))) event.isLost = true;
  }

  /** How many had been accepted by then. */
  countAt(time: number): number {
    let count = this.events.length;
    while (count > 0 && this.events[count - 1]!.at > time) count -= 1;
    return count;
  }
}

/** How late a frozen client gets something. */
const maxDelayMs = 20_000;

/** What the store accepted: what clients receive is compared with it. */
export class Record {
  private readonly channels = new Map<string, ChannelRecord>();
  private readonly passing = new Map<string, ChannelRecord>();
  private readonly sent = new Map<string, SentClientEvents>();
  /** Members that came in while no limit kept them away. */
  private readonly exceeding = new Set<string>();
  /** When nodes may have missed what the store sent them. */
  private readonly cuts: { readonly from: number; to: number; readonly isPrecise: boolean }[] = [];
  /** The events that nodes have missed, where that is known, by the names of nodes. */
  private readonly missed = new Map<string, Set<string>>();

  lose(since: number): void {
    for (const channel of this.channels.values()) channel.lose(since);
  }

  /** The store has lost events before a node had read them. */
  miss(node: string, ids: Iterable<string>): void {
    const missed = existing(this.missed, node, () => new Set<string>());
    for (const id of ids) missed.add(id);
  }

  /**
   * Nodes are cut off from the store's messages.
   * @param from when the first message that was lost on the way may have been sent
   * @param isPrecise whether {@link miss} names the events that are lost
   * @returns called when they listen again
   */
  cut(from: number, isPrecise = false): (now: number) => void {
    const cut = { from, to: Infinity, isPrecise };
    this.cuts.push(cut);
    return (now) => void (cut.to = now);
  }

  /** Whether clients may be told now what nodes missed, and some of them know. */
  mayTellTwice(now: number): boolean {
    return this.cuts.some(({ from, to }) => from <= now && now <= to + maxDelayMs);
  }

  /** Whether an event may be missed by clients of a node that nothing is replayed to. */
  mayBeMissed({ id, at }: Accepted, node: string): boolean {
    if (this.missed.get(node)?.has(id)) return true;
    return this.cuts.some(({ from, to, isPrecise }) => !isPrecise && from <= at && at <= to);
  }

  /** Whether no limit kept a member away that subscribed then, or came in before without one. */
  mayExceed(channel: string, user: string, askedAt: number): boolean {
    const subject = subjectOf(channel, user);
    if (this.cuts.some(({ to }) => askedAt <= to)) this.exceeding.add(subject);
    return this.exceeding.has(subject);
  }

  of(channel: string): ChannelRecord {
    return existing(this.channels, channel, () => new ChannelRecord());
  }

  /** The client events of a channel that keeps only other events. */
  passingOf(channel: string): ChannelRecord {
    return existing(this.passing, channel, () => new ChannelRecord());
  }

  /** What a connection has sent. */
  sentBy(connection: string): SentClientEvents {
    return existing(this.sent, connection, () => new SentClientEvents());
  }

  /** @returns the rule that the acceptance breaks */
  accept(channel: string, id: string, at: number): string | undefined {
    const event = clientEventIn(id);
    const record = event && isPassing(channel) ? this.passingOf(channel) : this.of(channel);
    record.add({ id, at, connection: event?.connection });
    const broken = event && this.sentBy(event.connection).accepted(event.number, at);
    return broken === undefined ? undefined : `client event ${id} ${broken}`;
  }
}

function existing<Value>(values: Map<string, Value>, key: string, made: () => Value): Value {
  let value = values.get(key);
  if (value === undefined) values.set(key, (value = made()));
  return value;
}

/** The data of an event that a schedule triggers, or that a client sends. */
const eventData = /^\{"event":"[^"]*","channel":"[^"]*","data":"(e\d+|\w+ \d+\.\d+ \d+)"/;

/** The id of an event, in its text; undefined for events of the server. */
export const eventIdIn = (text: string): string | undefined => eventData.exec(text)?.[1];

/** Also writes down what it accepts. */
export class RecordedBroker extends InProcessBroker {
  constructor(
    private readonly world: World,
    private readonly record: Record,
  ) {
    super();
  }

  override publish(message: BrokerMessage, rememberSeconds?: number): Position {
    const id = message.kind === 'event' ? eventIdIn(message.text) : undefined;
    const broken = id === undefined ? undefined : this.record.accept(message.channel, id, this.world.now);
    if (broken !== undefined) this.world.fail(broken);
    return super.publish(message, rememberSeconds);
  }

  /** Its positions are greater than all until now, also than those that it lacks. */
  goOn(): void {
    this.begun = Math.max(Date.now(), this.begun + 1);
  }
}
