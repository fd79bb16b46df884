import type { DeadJob, DeadJobCounts, DeadJobLimits, Death } from './dead-job.js';
import type { Within } from './host-transaction.js';
import type { ClaimedJob, FreshJob, Job } from './job.js';

/** The capacity that a runner has. */
export interface JobClaim {
  /** The unique name of this claim, never reused. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** At most this many jobs in total … */
  readonly limit: number;
  /** … at most this many per key … */
  readonly perKey: number;
  /** … and none of these keys, which are busy. */
  readonly busy: ReadonlySet<string>;
  /** How long other claims cannot get the jobs, in milliseconds. */
  readonly leaseMs: number;
}

/** The jobs that are due and unclaimed. */
export interface JobBacklog {
  /** The number of their keys. */
  readonly dueKeys: number;
  /** When the earliest of them became due, in epoch milliseconds; absent if there is none. */
  readonly oldestDueAt?: number;
}

/** The maximum that one `buryBeyond` buries. */
export const buriedAtOnce = 500;

/**
 * A durable queue of jobs. Every job runs at least once, rarely twice.
 *
 * - `add` resolves when all jobs are stored, with the number it had to drop because the queue is full: not always the
 *   last ones, because the key with the longest queue should lose jobs, not its neighbours. A job with a known id stays
 *   unchanged: `add` may be called twice. With `within` it writes in the host's transaction, and all of this applies
 *   once that commits; it throws if it cannot write in that transaction.
 * - `claim` returns jobs that are due at `now`, earliest first, and in the order of `add` if equally due. No other
 *   claim gets them until `leaseMs` have passed. Claiming is atomic: two callers never hold the same job. However long
 *   the queue of one key is, the jobs of other keys are found. It may return fewer jobs than there are: the result is
 *   empty only if nothing is due outside the busy keys.
 * - The fence: `renew`, `done`, `retry` and `bury` change nothing if the claim no longer holds the job, because another
 *   claim does or the job is gone.
 * - `renew` extends the lease, and returns whether the claim still holds the job.
 * - `done` deletes a job. `retry` ends its lease and makes it due at `dueAt`, with a new `state` if given.
 * - `bury` gives a job up: it leaves the queue and becomes a dead job of its owner, replacing an earlier one with its
 *   id. The owner's oldest dead jobs beyond `most` and `maxBytes` are deleted (the latter perhaps a tenth too many), as
 *   are those that died more than `keepMs` before this one; those of other owners are deleted then or later. The reason
 *   may be any text: the store replaces characters that it cannot keep.
 * - `dead` returns at most `limit` dead jobs of an owner with a place after `after`, in the order of their places.
 *   `latestDead` returns those with a place before `before`, in reverse order; an empty `before` begins at the latest.
 *   `deadCounts` counts them, and those that were deleted.
 * - `resend` puts the owner's dead jobs among the given ids back into the queue, changed by `fresh`, and returns their
 *   number: a dead job goes back once, however many callers ask.
 * - `size` counts all unfinished jobs, including claimed ones and those that wait for another try. `backlog` describes
 *   those that are due at `now` and unclaimed.
 * - `buryBeyond` shortens a queue of more than `most` jobs: like `bury`, it buries the earliest due jobs of the key
 *   with the most jobs: the excess, but at most half of that key's jobs and `buriedAtOnce`, and no claimed job. It
 *   returns their number; call it again until it returns 0.
 * - `watch` calls `wake` once it would notice, and then when another process has added jobs. It may call late or, seldom,
 *   never, so runners poll as well. It returns a function that stops watching; nothing if the store cannot watch.
 * - `nextDueAt` returns when a job becomes due or free again, at the earliest, in epoch milliseconds, and Infinity if
 *   there is none. A store that also watches is then polled less often.
 * - `close` is called when the runner has stopped for good: the remaining jobs wait for another process, or are lost
 *   and logged.
 */
export abstract class JobStore {
  abstract add(jobs: readonly Job[], within?: Within): Promise<{ readonly dropped: number }>;
  abstract claim(claim: JobClaim): Promise<readonly ClaimedJob[]>;
  abstract renew(job: ClaimedJob, leasedUntil: number): Promise<boolean>;
  abstract done(job: ClaimedJob): Promise<void>;
  abstract retry(job: ClaimedJob, dueAt: number, state?: unknown): Promise<void>;
  abstract bury(job: ClaimedJob, death: Death, limits: DeadJobLimits): Promise<void>;
  abstract dead(owner: string, after: string, limit: number): Promise<readonly DeadJob[]>;
  abstract latestDead(owner: string, before: string, limit: number): Promise<readonly DeadJob[]>;
  abstract deadCounts(owner: string): Promise<DeadJobCounts>;
  abstract resend(owner: string, ids: readonly string[], fresh: FreshJob): Promise<number>;
  abstract size(): Promise<number>;
  abstract backlog(now: number): Promise<JobBacklog>;
  abstract buryBeyond(most: number, death: Death, limits: DeadJobLimits): Promise<number>;
  /** Not supported by default. */
  watch(_wake: () => void): (() => Promise<void>) | undefined {
    return undefined;
  }
  /** Unknown by default. */
  async nextDueAt(): Promise<number | undefined> {
    return undefined;
  }
  async close(): Promise<void> {}
}
