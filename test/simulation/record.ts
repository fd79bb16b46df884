import { type BrokerMessage, InProcessBroker, type Position } from 'rookery/channels';
import type { World } from '../../libs/testing/src/simulation/world.js';

/** An event of a channel, as the store accepted it. */
export interface Accepted {
  /** What the event's data says, unique in a run. */
  readonly id: string;
  /** When it was accepted, in the world's time. */
  readonly at: number;
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

  of(channel: string): ChannelRecord {
    let record = this.channels.get(channel);
    if (!record) this.channels.set(channel, (record = new ChannelRecord()));
    return record;
  }
}

/** The data of an event that a schedule triggers. */
const eventData = /^\{"event":"[^"]*","channel":"[^"]*","data":"(e\d+)"/;

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
    if (id !== undefined) this.record.of(message.channel).add({ id, at: this.world.now });
    return super.publish(message, rememberSeconds);
  }
}
