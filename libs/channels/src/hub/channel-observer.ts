import type { BrokerEvent, Position, Topic } from '../broker/broker.js';

/**
 * Is told what happens to the channels that have connections in this process: how a feature follows them without the
 * hub's knowing of it. The methods must not throw.
 */
export interface ChannelObserver {
  /** An event has come for the channel's connections, which are sent it at the end of the tick. */
  delivered?(event: BrokerEvent, position: Position, connections: number): void;
  /** Messages of the channel may have been lost on their way to this process. */
  lost?(topic: Topic): void;
  /** The channel has no connections here any more. */
  closed?(topic: Topic): void;
}
