import { type BrokerMessage, InProcessBroker, type Position } from 'rookery/channels';
import { clientEventIn, SentClientEvents } from './client-events.js';
import { isPassing } from './cluster-options.js';
import type { World } from '../../libs/testing/src/simulation/world.js';

/** An event of a channel, as the store accepted it. */
export interface Accepted {
  /** What the event's data says, unique in a run. */
  readonly id: string;
  /** When it was accepted, in the world's time. */
  readonly at: number;
  /** The connection that sent it, if one did. */
  readonly connection?: string | undefined;
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

  /** How many had been accepted by then. */
  countAt(time: number): number {
    let count = this.events.length;
    while (count > 0 && this.events[count - 1]!.at > time) count -= 1;
    return count;
  }
}

/** What the store accepted: what clients receive is compared with it. */
export class Record {
  private readonly channels = new Map<string, ChannelRecord>();
  private readonly passing = new Map<string, ChannelRecord>();
  private readonly sent = new Map<string, SentClientEvents>();

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

/** Also writes down what it accepts. */
export class RecordedBroker extends InProcessBroker {
  constructor(
    private readonly world: World,
    private readonly record: Record,
  ) {
    super();
  }

  override publish(message: BrokerMessage, rememberSeconds?: number): Position {
    const id = message.kind === 'event' ? eventData.exec(message.text)?.[1] : undefined;
    const broken = id === undefined ? undefined : this.record.accept(message.channel, id, this.world.now);
    if (broken !== undefined) this.world.fail(broken);
    return super.publish(message, rememberSeconds);
  }
}
