import type { Awaitable } from 'rookery/common';

/** What travels between processes: a frame for everyone on a channel, or the order to end a user's connections. */
export type BrokerMessage =
  | {
      readonly kind: 'frame';
      readonly appId: string;
      readonly channel: string;
      /** A whole WebSocket frame, built once and written as it is. */
      readonly frame: Buffer;
      /** The socket id of the connection that does not get it. */
      readonly except?: string;
    }
  | { readonly kind: 'terminate'; readonly appId: string; readonly channel: string };

/**
 * Carries a channel's messages to every process that has a subscriber there, the publishing one included.
 *
 * - `publish` settles when the message is accepted. Messages of one publisher to one channel arrive in order, each at
 *   most once in each process; a process that has not subscribed need not get them.
 * - `subscribe` settles when messages published from then on will arrive in this process; it is called when the first
 *   local connection joins a channel, and `unsubscribe` when the last has left, so cost grows with interest and not with
 *   the number of processes. Both may be called twice; what was called last for a channel holds, though the call before
 *   it has not settled yet.
 * - `receive` names the one receiver of this process, before anything is published.
 */
export abstract class Broker {
  abstract receive(receiver: (message: BrokerMessage) => void): void;
  abstract publish(message: BrokerMessage): Awaitable<void>;
  abstract subscribe(appId: string, channel: string): Awaitable<void>;
  abstract unsubscribe(appId: string, channel: string): Awaitable<void>;
}
