import type { BrokerEvent, Position, Topic } from '../broker/broker.js';
import type { Connection } from '../connections/connection.js';

/** A channel as an observer sees it. */
export interface SentChannel {
  readonly name: string;
  /** Its connections, without those that are still being subscribed. */
  readonly released: Iterable<Connection>;
}

/**
 * Receives what happens to the channels that have connections in this process. A feature follows channels by it; the hub
 * imports no feature. The methods must not throw.
 */
export interface ChannelObserver {
  /** An event has come for the channel's connections, which are sent it at the end of the tick. */
  delivered?(event: BrokerEvent, position: Position, connections: number): void;
  /** The channel's connections were sent the events of its history up to the position. */
  keptSent?(channel: SentChannel, position: Position): void;
  /** A single connection was sent an event of the channel's history. */
  keptSentTo?(connection: Connection, channel: string, position: Position): void;
  /** Messages of the channel may have been lost on their way to this process. */
  lost?(topic: Topic): void;
  /** The channel has no connections here any more. */
  closed?(topic: Topic): void;
}
