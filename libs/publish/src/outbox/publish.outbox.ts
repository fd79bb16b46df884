import type { Found } from 'rookery/common';
import type { Within } from 'rookery/jobs';
import type { Publish } from '../publish.js';
import type { NewOutcomes, OutcomePage, OutcomeQuery } from './device-outcome.js';
import type { Lane, Retry } from './lane.js';

/** Identifies a repeated publish request (api § Idempotency-Key). */
export interface OnceKey {
  /** The header's value, unique within the instance. */
  readonly key: string;
  /** A digest of the request's body and kind: the same key with another one is a conflict. */
  readonly fingerprint: string;
  /** When the key is forgotten, in epoch milliseconds. */
  readonly expiresAt: number;
}

/** `added` is new; `repeated` was accepted before, under this id; `conflict`: the key was used for something else. */
export type Added = { readonly outcome: 'added' | 'repeated' | 'conflict'; readonly publishId: string };

/** A publish, or a range of it, on which only its claimer works while the lease lasts. */
export interface ClaimedPublish {
  readonly publish: Publish;
  /** Of a range only its own lane, otherwise those that are not ranges. Empty until the first `save`. */
  readonly lanes: readonly Lane[];
  /** When it was cancelled, in epoch milliseconds: the claimer then only finishes it. */
  readonly cancelledAt?: number;
}

/**
 * The result of a `save`. `cancelled` is saved too, but nothing more is to be sent; `wanted` is saved as well, and an
 * idle process would take over a range. `lost`: another owner has the publish.
 */
export type Saved = 'saved' | 'wanted' | 'cancelled' | 'lost';

/** The result of a `cancel`. */
export type Cancelled = 'cancelled' | 'finished' | 'unknown';

/** The current state of a publish, with all its lanes. */
export interface PublishRecord extends ClaimedPublish {
  /** Epoch milliseconds. */
  readonly finishedAt?: number;
}

/** A position in the list of the latest publishes. */
export type PublishPlace = Pick<Publish, 'createdAt' | 'id'>;

/** The publishes that are due, or have a due range, and that no worker holds. */
export interface Backlog {
  readonly publishes: number;
  /** When the first of them became due, in epoch milliseconds. */
  readonly oldestDueAt?: number;
}

/** The waiting retries of a lane. */
export interface WaitingRetries {
  /** The lane's name. */
  readonly lane: string;
  readonly count: number;
  /** When the first of them is due, in epoch milliseconds. */
  readonly dueAt: number;
}

/** The retries that a page adds or resets, and those that are settled. */
export interface RetryChange {
  readonly again: readonly Retry[];
  readonly settled: readonly string[];
}

/** Saved in addition to the lane. */
export interface LaneChange extends RetryChange {
  /** Absent when outcomes are not recorded. */
  readonly outcomes?: NewOutcomes;
  /** A range handed over to another worker; the lane ends before it. */
  readonly handedOver?: HandedOver;
}

/** A range of a publish that any worker may claim. */
export interface HandedOver {
  readonly lane: Lane;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

/**
 * The accepted publishes and the progress of each.
 *
 * - `add` answers when the publish, its audience and its key are durable, all in one transaction. Of requests with the
 *   same key that is not expired exactly one adds its publish, also when they race; the others learn its id. The
 *   publish is due at its `publishAt`, or at once without one. With `within` it writes in the host's transaction and
 *   the same holds for its commit; it throws if it cannot write in that transaction.
 * - `claim` hands the publish that has been due the longest to `owner` and hides it for `leaseMs`; `undefined`: none is
 *   due. It is atomic: two callers never hold the same publish. An owner's name is used for one claim only. Skips the
 *   publishes in `except` and their ranges.
 * - A range that a `save` hands over is claimed, renewed, saved and released on its own, under the id of its publish;
 *   the owner's name identifies it. `ask` marks what others hold at `now`, with leases of at most `leaseMs`: the next
 *   saves answer `wanted`, until one of them hands a range over. Handing over is optional.
 * - `leave` ends what the owner holds of a publish with ranges. While other parts are unfinished it answers undefined;
 *   the last owner gets all lanes, and holds the publish until `leasedUntil`, to finish it.
 * - The fence: `renew` and `finish` answer false, `save` answers `lost`, and nothing changes when the publish is not
 *   held by `owner`, as it is after another claim, a release or the end; `release` and `leave` then change nothing.
 * - `cancel` marks a publish of the instance that has not finished. Its owner learns of it at the next `save`; a
 *   publish without an owner, or released afterwards, is due at once. It may be called again.
 * - `save` sets the lane, changes its retries and keeps the outcomes in one transaction: after a crash either all of
 *   them are stored or none. A retry of a device that has one replaces it, and so does an outcome; settling an unknown
 *   one is harmless.
 * - `outcomes` answers devices of a publish with their latest outcome, in the order of ids. A page may hold fewer than
 *   `limit`, even none, and have a next one: the amount read per page is bounded. `forgetOutcomes` removes a number of
 *   those older than `before`, and answers how many: 0 when none are left. An outbox in memory keeps only the latest.
 * - `retries` answers at most `limit` of a lane that are due at `now`, the earliest first. `waiting` answers one entry
 *   for each lane that has any.
 * - `release` makes the publish due at `dueAt` for any worker. After `finish` it is never claimed again.
 * - `backlog` describes what is due at `now` and not held: the workers' backlog.
 * - `watch` calls `wake` when another process made something due. It may call late or never, so workers poll as well.
 *   It answers a function that stops watching.
 * - `find` and `knows` only read: they need no lease, and find a publish only in its own instance.
 * - `latest` answers at most `limit` publishes of an instance as they were accepted, the newest first: by `createdAt`,
 *   then by id, those that come after `after` alone. A keyset page.
 * - `finishedBefore` names at most `limit` publishes that finished before `time`; `forget` removes those named with all
 *   their data, and is harmless for unknown ones. `forgetKeys` removes the keys that are expired at `now`.
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
  /** By default not supported: `wake` is never called. */
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
