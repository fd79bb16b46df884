import type { Awaitable } from 'rookery/common';
import type { HistoryBounds } from '../access/history-rule.js';
import type { Position } from '../protocol/position.js';

export type { Position };

/** An event's change of a member or user: the user that came or left, and the version of the ledger. */
export interface MemberChange {
  readonly userId: string;
  readonly isPresent: boolean;
  readonly version: number;
}

/** An event for everyone on a channel. */
export interface BrokerEvent {
  readonly kind: 'event';
  readonly appId: string;
  readonly channel: string;
  /** What clients read, as JSON text; each process makes a transport's bytes of it, once, where somebody listens. */
  readonly text: string;
  /** The socket id of the connection that does not get it. */
  readonly except?: string;
  /** Set where the event tells of a change that a process may have told already, or that a newer one has overtaken. */
  readonly change?: MemberChange;
  /** Set where the channel's history keeps the event: the bounds of the history from now on. */
  readonly history?: HistoryBounds;
  /** Set on a sample of triggers: when it was accepted, in milliseconds of the epoch and parts of them. */
  readonly acceptedAt?: number;
  /** Set where clients are asked whether they have handled the event: what is told of those who have. */
  readonly asks?: string;
  /** Set where the host traces the trigger: `00-<trace>-<span>-<flags>` (W3C Trace Context). */
  readonly traceparent?: string;
}

/** The order to end a user's connections, for good or so that they come back at once. */
export interface BrokerOrder {
  readonly kind: 'terminate' | 'reconnect';
  readonly appId: string;
  readonly channel: string;
}

/** The order to take a user's connections off the channel. */
export interface BrokerRevocation {
  readonly kind: 'revoke';
  readonly appId: string;
  readonly channel: string;
  readonly userId: string;
}

/** What travels between processes. */
export type BrokerMessage = BrokerEvent | BrokerOrder | BrokerRevocation;

/** A channel of an app. */
export interface Topic {
  readonly appId: string;
  readonly channel: string;
}

/** What arrives in a process. */
export interface BrokerReceiver {
  message(message: BrokerMessage, position: Position): void;
  /** Messages of these channels may have been lost on their way to this process. */
  lost(topics: readonly Topic[]): void;
}

/** The last event of a cache channel. */
export interface RememberedEvent {
  readonly text: string;
  readonly position: Position;
  /** Whole seconds until it is forgotten, at least 1. */
  readonly ttlSeconds: number;
}

/** An event that the history has. */
export interface KeptEvent extends Pick<BrokerEvent, 'text' | 'except'> {
  readonly position: Position;
}

/** A part of a channel's history. */
export interface HistoryPage {
  /** In their order. */
  readonly events: readonly KeptEvent[];
  /** Whether the history still has everything that it got after the position that was asked for. */
  readonly isComplete: boolean;
  /** A position after all that was published before the question, and before all that is published after the answer. */
  readonly now: Position;
}

/**
 * Carries a channel's messages to every process that has a subscriber there, the publishing one included.
 *
 * - `publish` settles when the message is accepted, and answers its position. Messages of one publisher to one channel
 *   arrive in the order of the calls, though nobody waited in between, each at most once in each process; a process that
 *   has not subscribed need not get them. With `rememberSeconds`, the message is in the same step what the channel
 *   remembers, whether or not anybody is on it.
 * - An event with `history` is in the same step added to its channel's history, which is cut to the bounds then. A
 *   history that had no event for two days may be forgotten with all that is known of it.
 * - `history` answers the first `limit` events that it has after a position, or of all that it has; none that is older
 *   than its bounds allow. A position of which nothing is known, since the memory was lost or is another's, has no
 *   complete page; without a position, a page is complete when nothing was ever dropped.
 * - `recall` answers what a channel remembers, or `undefined` when it is nothing or its time is over.
 * - `subscribe` settles when messages published from then on will arrive in this process; it is called when the first
 *   local connection joins a channel, and `unsubscribe` when the last has left, so cost grows with interest and not with
 *   the number of processes. Both may be called twice; what was called last for a channel holds, though the call before
 *   it has not settled yet, or failed.
 * - `receive` names the one receiver of this process, before anything is published. The receiver is told where messages
 *   may have been lost, after a broken connection for one, and never left in the dark.
 */
export abstract class Broker {
  abstract receive(receiver: BrokerReceiver): void;
  abstract publish(message: BrokerMessage, rememberSeconds?: number): Awaitable<Position>;
  abstract recall(appId: string, channel: string): Awaitable<RememberedEvent | undefined>;
  abstract history(appId: string, channel: string, limit: number, after?: Position): Awaitable<HistoryPage>;
  abstract subscribe(appId: string, channel: string): Awaitable<void>;
  abstract unsubscribe(appId: string, channel: string): Awaitable<void>;
}
