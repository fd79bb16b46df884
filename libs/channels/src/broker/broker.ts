import type { Awaitable } from '#common';
import type { HistoryBounds } from '../app/history-rule.js';
import type { Position } from '../protocol/position.js';

export type { Position };

/**
 * The change of a member or user that an event announces: the user that came or left, and the version of the change. For
 * the number of a channel's connections, `userId` is empty.
 */
export interface MemberChange {
  readonly userId: string;
  readonly isPresent: boolean;
  readonly version: number;
  /** The version of the change before, if it is known: it may arrive later, or never. */
  readonly previous?: number | undefined;
}

/** An event for all subscribers of a channel. */
export interface BrokerEvent {
  readonly kind: 'event';
  readonly appId: string;
  readonly channel: string;
  /** What clients receive, as JSON text. Each process with subscribers frames it once for each transport. */
  readonly text: string;
  /** The socket id of the connection that is excluded. */
  readonly except?: string;
  /** Set for a change that may have been announced already, or be overtaken by a newer one. */
  readonly change?: MemberChange;
  /** Set if the channel's history keeps the event: the bounds of the history from now on. */
  readonly history?: HistoryBounds;
  /** Set on a sample of triggers: when the trigger was accepted, in fractional epoch milliseconds. */
  readonly acceptedAt?: number;
  /** Set if clients are asked to acknowledge the event: identifies the question for those that did. */
  readonly asks?: string;
  /** Set if the host traces the trigger: `00-<trace>-<span>-<flags>` (W3C Trace Context). */
  readonly traceparent?: string;
}

/** The order to end a user's connections, for good or so that they reconnect at once. */
export interface BrokerOrder {
  readonly kind: 'terminate' | 'reconnect';
  readonly appId: string;
  readonly channel: string;
}

/** The order to remove a user's connections from the channel. */
export interface BrokerRevocation {
  readonly kind: 'revoke';
  readonly appId: string;
  readonly channel: string;
  readonly userId: string;
}

/** A message between processes. */
export type BrokerMessage = BrokerEvent | BrokerOrder | BrokerRevocation;

/** A channel of an app. */
export interface Topic {
  readonly appId: string;
  readonly channel: string;
}

/** Receives what arrives in a process. */
export interface BrokerReceiver {
  message(message: BrokerMessage, position: Position): void;
  /** Messages of these channels may have been lost on their way to this process. */
  lost(topics: readonly Topic[]): void;
}

/** The last event of a cache channel. */
export interface RememberedEvent {
  readonly text: string;
  readonly position: Position;
  /** Whole seconds until it expires, at least 1. */
  readonly ttlSeconds: number;
}

/** An event in the history. */
export interface KeptEvent extends Pick<BrokerEvent, 'text' | 'except'> {
  readonly position: Position;
}

/** One page of a channel's history. */
export interface HistoryPage {
  /** In order. */
  readonly events: readonly KeptEvent[];
  /** Whether the history still has every event that it received after the requested position. */
  readonly isComplete: boolean;
  /** A position after everything published before the request, and before everything published after the answer. */
  readonly now: Position;
}

/** What a channel keeps: about so many bytes of texts, as its last event for a while, or in its history. */
export interface KeptSize extends Topic {
  readonly bytes: number;
  /** How many events these are. @default 1 */
  readonly events?: number;
  /** How long its last event is kept from now on. */
  readonly cacheSeconds?: number;
  readonly history?: HistoryBounds;
}

/** What several processes may have one store keep, as it answered last: a new object for each answer. */
export interface StoreRoom {
  /** The processes that share it. */
  readonly processes: number;
  /** How many bytes all of them may have it keep; undefined where it has no bound of its own. */
  readonly maxBytes?: number;
  /** How many more bytes it has room for now; undefined where it has no bound of its own. */
  readonly freeBytes?: number;
}

/**
 * Carries a channel's messages to every process that has a subscriber there, including the publishing one.
 *
 * - `publish` resolves when the message is accepted, and answers its position. Messages from one publisher to one
 *   channel arrive in the order of the calls, even without waiting in between, each at most once in each process; a
 *   process that has not subscribed need not get them. With `rememberSeconds`, the channel remembers the message in the
 *   same step, with or without subscribers.
 * - An event with `history` is in the same step added to its channel's history, which is then cut to the bounds. A
 *   history without an event for two days may be forgotten entirely.
 * - `history` answers the first `limit` events after a position, or of all it has; none is older than its bounds allow.
 *   A page is incomplete when the position is unknown, because the memory was lost or is another's. Without a position,
 *   a page is complete when nothing was ever dropped.
 * - `recall` answers what a channel remembers, or `undefined` when there is nothing or it has expired.
 * - `subscribe` resolves when messages published from then on will arrive in this process. It is called when the first
 *   local connection joins a channel, and `unsubscribe` when the last one has left, so cost grows with interest and not
 *   with the number of processes. Both may be called twice. The last call for a channel wins, even if the call before
 *   it has not settled yet, or failed.
 * - `receive` sets the one receiver of this process, before anything is published. Wherever messages may have been
 *   lost, for example after a broken connection, the receiver is always told.
 */
export abstract class Broker {
  /** False for a broker of a single process, whose messages reach no other. @default true */
  readonly isShared?: boolean;

  /**
   * Whether it keeps the text of an event once that is published on several cache channels, without waiting in between.
   * @default false
   */
  readonly sharesTexts?: boolean;

  /** Where several processes share what it keeps. */
  readonly room?: StoreRoom | undefined;
  /**
   * What is kept from before this process, in pages; absent where that is nothing, or {@link room} says what is free.
   * Where several processes share it, each counts an equal part.
   */
  keptSizes?(): AsyncIterable<readonly KeptSize[]>;
  abstract receive(receiver: BrokerReceiver): void;
  abstract publish(message: BrokerMessage, rememberSeconds?: number): Awaitable<Position>;
  abstract recall(appId: string, channel: string): Awaitable<RememberedEvent | undefined>;
  abstract history(appId: string, channel: string, limit: number, after?: Position): Awaitable<HistoryPage>;
  abstract subscribe(appId: string, channel: string): Awaitable<void>;
  abstract unsubscribe(appId: string, channel: string): Awaitable<void>;
}
