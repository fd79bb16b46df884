import { type HostTransaction, noTransaction, type Within } from 'rookery/jobs';

/** An event for one channel that is triggered when a transaction is committed. */
export interface OutgoingEvent {
  /** A UUID. */
  readonly id: string;
  readonly appId: string;
  readonly channel: string;
  readonly name: string;
  readonly data: string;
  /** The connection that does not get it. */
  readonly socketId?: string;
  /** Epoch milliseconds, as all times here. */
  readonly createdAt: number;
}

/** An event whose transaction is committed. */
export interface CommittedEvent extends OutgoingEvent {
  /** Greater than 0; grows with the commits to a channel. */
  readonly position: number;
}

/** What the relay asks for. */
export interface RelayClaim {
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  /** Only what stands behind this position. */
  readonly after: number;
  readonly limit: number;
}

/** What is committed and not sent. */
export interface TriggerBacklog {
  readonly events: number;
  /** When the oldest was triggered. */
  readonly oldestAt?: number;
}

/**
 * The events that hosts trigger in their own transactions, until one relay of all processes has sent them.
 *
 * - `add` writes in the host's transaction: the events are there when that is committed, and never when it is not. It
 *   throws when that is none that it can write in.
 * - `claim` answers the first `limit` committed events behind a position, by positions, and makes the owner the one relay
 *   until `now + leaseMs`. While another is, it answers nothing. Of two events of a channel the one that was committed
 *   first stands first, and none appears later before one that was answered; those of one transaction stand in the order
 *   of the calls. Of events of several channels that is not promised.
 * - The fence: `done`, which forgets what was sent, and `bury`, which puts aside what can never be sent, change nothing for
 *   who is not the relay. What is buried is never answered again, and is kept for two weeks for a person to look at.
 * - `release` lets another be the relay, and is harmless for who is not.
 * - `watch` has `wake` called when another process may have committed events, sooner or later or never: a relay looks for
 *   itself as well. It answers how to end that.
 */
export abstract class TriggerOutbox {
  abstract add(events: readonly OutgoingEvent[], within: Within): Promise<void>;
  abstract claim(claim: RelayClaim): Promise<readonly CommittedEvent[]>;
  abstract done(owner: string, ids: readonly string[]): Promise<void>;
  abstract bury(owner: string, id: string, reason: string, now: number): Promise<void>;
  abstract release(owner: string): Promise<void>;
  abstract backlog(): Promise<TriggerBacklog>;
  /** An outbox that cannot tell leaves it as it is. */
  watch(_wake: () => void): () => Promise<void> {
    return async () => undefined;
  }
}

/** For hosts without a database: there is no transaction to write in, and nothing to relay. */
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
