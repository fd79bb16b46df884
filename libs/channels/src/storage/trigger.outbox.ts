import { type HostTransaction, noTransaction, type Within } from 'rookery/jobs';

/** An event for one channel that is sent once its transaction is committed. */
export interface OutgoingEvent {
  /** A UUID. */
  readonly id: string;
  readonly appId: string;
  readonly channel: string;
  readonly name: string;
  readonly data: string;
  /** The connection that is excluded. */
  readonly socketId?: string;
  /** Epoch milliseconds, like all times here. */
  readonly createdAt: number;
}

/** An event whose transaction is committed. */
export interface CommittedEvent extends OutgoingEvent {
  /** Greater than 0; grows with the commits to a channel. */
  readonly position: number;
}

/** A relay's request for events. */
export interface RelayClaim {
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  /** Only events after this position. */
  readonly after: number;
  readonly limit: number;
}

/** Events that are committed but not sent. */
export interface TriggerBacklog {
  readonly events: number;
  /** When the oldest of them was triggered. */
  readonly oldestAt?: number;
}

/**
 * Keeps the events that hosts trigger in their own transactions, until the relay has sent them. One process at a time
 * is the relay.
 *
 * - `add` writes in the host's transaction: the events exist once it is committed, and never if it is rolled back. It
 *   throws when it cannot write in that transaction.
 * - `claim` answers the first `limit` committed events after a position, ordered by position, and makes the owner the
 *   relay until `now + leaseMs`. While another owner is the relay, it answers nothing. Events of one channel are
 *   ordered by their commits, and no event appears later before one that was already answered; events of one
 *   transaction keep the order of the calls. Between channels no order is promised.
 * - The fence: `done` forgets sent events, and `bury` sets aside events that can never be sent. Both change nothing
 *   when the caller is not the relay. Buried events are never answered again, and are kept for two weeks for
 *   inspection.
 * - `release` lets another owner become the relay; it does nothing when the caller is not the relay.
 * - `watch` has `wake` called once it would notice, and then when another process has committed events: soon, late or,
 *   seldom, never, so a relay polls as well. It answers a function that ends the watch; nothing if the outbox cannot
 *   notify.
 */
export abstract class TriggerOutbox {
  abstract add(events: readonly OutgoingEvent[], within: Within): Promise<void>;
  abstract claim(claim: RelayClaim): Promise<readonly CommittedEvent[]>;
  abstract done(owner: string, ids: readonly string[]): Promise<void>;
  abstract bury(owner: string, id: string, reason: string, now: number): Promise<void>;
  abstract release(owner: string): Promise<void>;
  abstract backlog(): Promise<TriggerBacklog>;
  /** The default, for an outbox that cannot notify. */
  watch(_wake: () => void): (() => Promise<void>) | undefined {
    return undefined;
  }
}

/** For hosts without a database: without transactions there is nothing to relay. */
export class NoTriggerOutbox extends TriggerOutbox {
  async add(_events: readonly OutgoingEvent[], _within: { readonly transaction: HostTransaction }): Promise<void> {
    throw noTransaction('ChannelsModule', 'ChannelsModule.forRoot({ triggerOutbox: TypeOrmTriggerOutbox })');
  }

  async claim(): Promise<readonly CommittedEvent[]> {
    return [];
  }

  async done(): Promise<void> {}

  async bury(): Promise<void> {}

  async release(): Promise<void> {}

  async backlog(): Promise<TriggerBacklog> {
    return { events: 0 };
  }
}
