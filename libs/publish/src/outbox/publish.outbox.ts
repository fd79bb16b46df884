import type { Found, Within } from 'rookery/common';
import type { Publish } from '../publish.js';
import type { NewOutcomes, OutcomePage, OutcomeQuery } from './device-outcome.js';
import type { Lane, Retry } from './lane.js';

/** What makes a repeated publish request known (api § Idempotency-Key). */
export interface OnceKey {
  /** The header's value; it counts within the instance. */
  readonly key: string;
  /** Of the request's body and kind: the same key for something else is a conflict. */
  readonly fingerprint: string;
  /** Until when the key is remembered, in epoch milliseconds. */
  readonly expiresAt: number;
}

/** `added` is new; `repeated` was accepted before, under this id; `conflict`: the key was used for something else. */
export type Added = { readonly outcome: 'added' | 'repeated' | 'conflict'; readonly publishId: string };

/** A publish, or a range of it, that its claimer, and nobody else, works on while the lease lasts. */
export interface ClaimedPublish {
  readonly publish: Publish;
  /** Of a range its only one, else those that are no ranges. Empty until the first `save`. */
  readonly lanes: readonly Lane[];
  /** When it was cancelled, in epoch milliseconds: whoever claims it only brings it to its end. */
  readonly cancelledAt?: number;
}

/**
 * What became of a `save`. `cancelled` is saved too, but no more is to be sent; `wanted` as well, and another process has
 * nothing to do and would take over a range. `lost`: another owner has the publish.
 */
export type Saved = 'saved' | 'wanted' | 'cancelled' | 'lost';

/** What became of a `cancel`. */
export type Cancelled = 'cancelled' | 'finished' | 'unknown';

/** A publish as it stands, with all its lanes. */
export interface PublishRecord extends ClaimedPublish {
  /** Epoch milliseconds. */
  readonly finishedAt?: number;
}

/** Where a publish stands in the list of the latest. */
export type PublishPlace = Pick<Publish, 'createdAt' | 'id'>;

/** The publishes that are due, or have a range that is, and that nobody holds. */
export interface Backlog {
  readonly publishes: number;
  /** Since when the first of them has been due, in epoch milliseconds. */
  readonly oldestDueAt?: number;
}

/** The retries of a lane that are waiting. */
export interface WaitingRetries {
  /** Its name. */
  readonly lane: string;
  readonly count: number;
  /** When the first of them is due, in epoch milliseconds. */
  readonly dueAt: number;
}

/** The retries that a page adds, or sets anew, and those that have come to an end. */
export interface RetryChange {
  readonly again: readonly Retry[];
  readonly settled: readonly string[];
}

/** What a save keeps beside the lane. */
export interface LaneChange extends RetryChange {
  /** Absent where they are not recorded. */
  readonly outcomes?: NewOutcomes;
  /** A range that is handed over to whoever claims it; the lane ends before it. */
  readonly handedOver?: HandedOver;
}

/** A range of a publish that becomes due for anybody. */
export interface HandedOver {
  readonly lane: Lane;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

/**
 * The publishes that are accepted, and how far each one is.
 *
 * - `add` answers when the publish, its audience and its key are durable, all in one transaction. Of requests with the
 *   same key that is not expired exactly one adds its publish, also when they race; the others learn its id. The publish
 *   is due at its `publishAt`, without one at once. With `within` it writes in the host's transaction and promises the same
 *   of its commit; it throws when that is none that it can write in.
 * - `claim` hands the publish that has been due the longest to `owner` and hides it for `leaseMs`; `undefined`: none is
 *   due. It is atomic: two callers never hold the same publish. An owner's name is used for one claim only. Publishes
 *   `except` are passed by, with their ranges.
 * - A range that a `save` hands over is claimed, renewed, saved and released for itself, under the id of its publish; the
 *   owner's name says which is meant. `ask` marks what others hold at `now`, with leases of at most `leaseMs`: the next
 *   saves answer `wanted`, until one of them hands a range over. Nobody needs to.
 * - `leave` is the end of what the owner holds, where there are or have been ranges. While others of the publish are left
 *   it answers undefined; the last owner gets all lanes, and holds the publish until `leasedUntil`, to finish it.
 * - The fence: `renew` and `finish` answer false, `save` answers `lost`, and nothing changes when the publish is not held
 *   by `owner`, as it is after another claim, a release or the end; `release` and `leave` then change nothing.
 * - `cancel` marks a publish of the instance that has not finished. Whoever holds it learns so from its next `save`; one
 *   that nobody holds, or that is released afterwards, is due at once, whatever it waited for. It may be called again.
 * - `save` sets the lane, changes its retries and keeps the outcomes in one transaction: after a crash all are there or
 *   none. A retry of a device that has one replaces it, and so does an outcome; settling an unknown one is harmless.
 * - `outcomes` answers devices of a publish with their latest outcome, in the order of ids. A page may hold fewer than
 *   `limit`, even none, and have a next one: how much is read for one is bounded. `forgetOutcomes` removes some of those
 *   that are older than `before`, and answers how much: 0 when nothing is left. An outbox in memory keeps only the latest.
 * - `retries` answers at most `limit` of a lane that are due at `now`, the earliest first. `waiting` answers one entry
 *   for each lane that has any.
 * - `release` makes the publish due at `dueAt` for anybody. `finish` is the end: it is never claimed again.
 * - `backlog` tells of what is due at `now` and not held: what workers are behind with.
 * - `watch` has `wake` called when something has become due in another process, sooner or later or never: whoever works
 *   looks for himself as well. It answers how to end that.
 * - `find` and `knows` are for reading: they need no lease, and know a publish of its own instance only.
 * - `latest` answers at most `limit` publishes of an instance as they were accepted, the newest first: by `createdAt`, then
 *   by id, those that come after `after` alone. A keyset page.
 * - `finishedBefore` names at most `limit` publishes that finished before `time`; `forget` removes those named with
 *   everything they have, and is harmless for an unknown one. `forgetKeys` removes the keys that are expired at `now`.
 */
export abstract class PublishOutbox {
  abstract add(publish: Publish, once?: OnceKey, within?: Within): Promise<Added>;
  abstract claim(
    owner: string,
    now: number,
    leaseMs: number,
    except?: readonly string[],
  ): Promise<ClaimedPublish | undefined>;
  abstract renew(owner: string, publishId: string, leasedUntil: number): Promise<boolean>;
  abstract save(owner: string, publishId: string, lane: Lane, change?: LaneChange): Promise<Saved>;
  abstract cancel(instanceId: string, publishId: string, now: number): Promise<Cancelled>;
  abstract retries(publishId: string, lane: string, now: number, limit: number): Promise<readonly Retry[]>;
  abstract waiting(publishId: string): Promise<readonly WaitingRetries[]>;
  abstract release(owner: string, publishId: string, dueAt: number): Promise<void>;
  abstract ask(now: number, leaseMs: number): Promise<void>;
  abstract leave(owner: string, publishId: string, leasedUntil: number): Promise<readonly Lane[] | undefined>;
  abstract finish(owner: string, publishId: string, now: number): Promise<boolean>;
  abstract backlog(now: number): Promise<Backlog>;
  /** An outbox that cannot tell leaves it as it is. */
  watch(_wake: () => void): () => Promise<void> {
    return async () => undefined;
  }
  abstract find(instanceId: string, publishId: string): Promise<Found<PublishRecord>>;
  abstract knows(instanceId: string, publishId: string): Promise<boolean>;
  abstract latest(instanceId: string, limit: number, after?: PublishPlace): Promise<readonly Publish[]>;
  abstract finishedBefore(time: number, limit: number): Promise<readonly string[]>;
  abstract forget(publishIds: readonly string[]): Promise<void>;
  abstract outcomes(publishId: string, query: OutcomeQuery): Promise<OutcomePage>;
  abstract forgetOutcomes(before: number): Promise<number>;
  abstract forgetKeys(now: number): Promise<void>;
}
