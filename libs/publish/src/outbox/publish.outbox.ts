import type { Found } from '#common';
import type { ClaimedJob, JobStore, Within } from 'rookery/jobs';
import type { Publish } from '../publish.js';
import type { DeviceReport, ReportCount } from './device-report.js';
import type { NewOutcomes, OutcomePage, OutcomeQuery } from './device-outcome.js';
import type { Partition, Retry } from './partition.js';

/** Identifies a repeated publish request (api § Idempotency-Key). */
export interface OnceKey {
  /** The header's value, unique within the instance. */
  readonly key: string;
  /** A digest of the request's body and kind: the same key with another digest is a conflict. */
  readonly fingerprint: string;
  /** When the key expires, in epoch milliseconds. */
  readonly expiresAt: number;
}

/** `added`: it is new; `repeated`: it was accepted before, under this id; `conflict`: the key has another use. */
export type Added = { readonly outcome: 'added' | 'repeated' | 'conflict'; readonly publishId: string };

/**
 * The result of a `save`. All but `lost` were saved. `cancelled`: send nothing more. `wanted`: no range of the publish
 * waits for a worker, so another one can be handed over. `lost`: the claim does not hold the job.
 */
export type Saved = 'saved' | 'wanted' | 'cancelled' | 'lost';

/** The result of a `cancel`. */
export type Cancelled = 'cancelled' | 'finished' | 'unknown';

/** The current state of a publish, with all its partitions. */
export interface PublishRecord {
  readonly publish: Publish;
  /** Empty until the first `save`. */
  readonly partitions: readonly Partition[];
  /** When it was cancelled, in epoch milliseconds: its jobs then only finish it. */
  readonly cancelledAt?: number;
  /** Epoch milliseconds. */
  readonly finishedAt?: number;
}

/** A position in the list of the latest publishes. */
export type PublishCursor = Pick<Publish, 'createdAt' | 'id'>;

/** The waiting retries of a partition. */
export interface WaitingRetries {
  /** The partition's name. */
  readonly partition: string;
  readonly count: number;
  /** When the first of them is due, in epoch milliseconds. */
  readonly dueAt: number;
}

/** The retries that a page adds or resets, and those that are settled. */
export interface RetryChange {
  readonly again: readonly Retry[];
  readonly settled: readonly string[];
}

/** Saved in addition to the partition. */
export interface PartitionChange extends RetryChange {
  /** Absent when outcomes are not recorded. */
  readonly outcomes?: NewOutcomes;
  /** A range that becomes its own job, for any worker; the partition ends before it. */
  readonly handedOver?: HandedOver;
}

/** A range of a publish that any worker may claim. */
export interface HandedOver {
  readonly partition: Partition;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

/**
 * The accepted publishes and the progress of each.
 *
 * - `jobs` holds each unfinished publish as a job, and each range of it that was handed over: see `publishJob` and
 *   `rangeJob`. Each method changes a publish and its jobs in one transaction.
 * - `add` resolves when the publish, its audience, its key and its job are durable, all in one transaction. Of several
 *   requests with the same unexpired key, even concurrent ones, exactly one adds its publish; the others get its id.
 *   The publish is due at its `publishAt`, or at once without one. With `within` it writes in the host's transaction,
 *   and all of this applies once that commits; it throws if it cannot write in that transaction.
 * - The fence: if the claim does not hold the job, as after another claim, a retry or the end, `save` returns `lost`,
 *   `leave` undefined, `finish` false, and nothing changes. A job saves only its own partitions.
 * - `save` sets the partition, changes its retries, stores the outcomes and adds the job of a range in one transaction:
 *   after a crash, either all of them are stored or none. A new retry of a device replaces an existing one, and so does
 *   an outcome; settling an unknown retry is harmless.
 * - `leave` ends a job of a publish that has others. The last job stays claimed, and gets all partitions, to finish the
 *   publish. `finish` ends the publish with its last job: while there are others, it returns false.
 * - `cancel` marks an unfinished publish of the instance. The runs of its jobs learn of it at their next `save`; its
 *   unclaimed jobs are due at once, and claimed ones when their claims end. It may be called again.
 * - `outcomes` returns devices of a publish with their latest outcome, in the order of ids. A page may have fewer than
 *   `limit` devices, even none, and still have a next page: the amount read per page is limited. `forgetOutcomes`
 *   removes some of those older than `before`, and returns their number: 0 when none are left. An outbox in memory
 *   keeps only the latest.
 * - `retries` returns at most `limit` retries of a partition that are due at `now`, earliest first. `waiting` returns one
 *   entry for each partition that has any.
 * - `find` and `knows` only read, and find a publish only in its own instance.
 * - `latest` returns at most `limit` publishes of an instance as they were accepted, newest first: by `createdAt`, then
 *   by id, and only those that come after `after`. A keyset page.
 * - `report` stores a device's report, also on an unknown publish; an existing report stays unchanged. It may be called
 *   twice, also concurrently: a report counts once. `reports` returns the number of devices for each platform and event;
 *   those with none are omitted. `reportsOf` returns those of some devices, at most 100, in any order.
 * - `finishedBefore` returns the ids of at most `limit` publishes that finished before `time`; `forget` removes the
 *   given ones with all their data, and of unknown ones the reports: those that are stored until then. `forgetKeys`
 *   removes the keys that are expired at `now`.
 */
export abstract class PublishOutbox {
  abstract readonly jobs: JobStore;
  abstract add(publish: Publish, once?: OnceKey, within?: Within): Promise<Added>;
  abstract save(job: ClaimedJob, partition: Partition, change?: PartitionChange): Promise<Saved>;
  abstract leave(job: ClaimedJob): Promise<readonly Partition[] | undefined>;
  abstract finish(job: ClaimedJob, now: number): Promise<boolean>;
  abstract cancel(instanceId: string, publishId: string, now: number): Promise<Cancelled>;
  abstract retries(publishId: string, partition: string, now: number, limit: number): Promise<readonly Retry[]>;
  abstract waiting(publishId: string): Promise<readonly WaitingRetries[]>;
  abstract find(instanceId: string, publishId: string): Promise<Found<PublishRecord>>;
  abstract knows(instanceId: string, publishId: string): Promise<boolean>;
  abstract latest(instanceId: string, limit: number, after?: PublishCursor): Promise<readonly Publish[]>;
  abstract finishedBefore(time: number, limit: number): Promise<readonly string[]>;
  abstract forget(publishIds: readonly string[]): Promise<void>;
  abstract outcomes(publishId: string, query: OutcomeQuery): Promise<OutcomePage>;
  abstract forgetOutcomes(before: number): Promise<number>;
  abstract forgetKeys(now: number): Promise<void>;
  abstract report(report: DeviceReport): Promise<void>;
  abstract isReported(report: DeviceReport): Promise<boolean>;
  abstract reports(publishId: string): Promise<readonly ReportCount[]>;
  abstract reportsOf(publishId: string, deviceIds: readonly string[]): Promise<readonly DeviceReport[]>;
}
