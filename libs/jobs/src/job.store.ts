import type { DeadJob, DeadJobLimits, Death } from './dead-job.js';
import type { Within } from './host-transaction.js';
import type { ClaimedJob, FreshJob, Job } from './job.js';

/** What a runner has room for. */
export interface JobClaim {
  /** The name of this claim, never used for another one. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** At most so many jobs in all … */
  readonly limit: number;
  /** … at most so many of one key … */
  readonly perKey: number;
  /** … and none of these keys, which are busy enough already. */
  readonly busy: ReadonlySet<string>;
  /** How long the jobs stay hidden from other claims, in milliseconds. */
  readonly leaseMs: number;
}

/** The jobs that are due and not held. */
export interface JobBacklog {
  /** The keys of these jobs. */
  readonly dueKeys: number;
  /** When the first of them became due, in epoch milliseconds; absent if there is none. */
  readonly oldestDueAt?: number;
}

/** How many jobs one `buryBeyond` buries at most. */
export const buriedAtOnce = 500;

/**
 * A durable queue of jobs. Every job is run at least once, rarely twice.
 *
 * - `add` answers when all jobs are kept, or how many it had to drop because the queue is full: not always the last ones,
 *   since the key with the longest queue should lose, not its neighbours. A job whose id is known is left as it is:
 *   `add` may be called twice. With `within` it writes in the host's transaction, and the same holds for its commit; it
 *   throws if it cannot write in that transaction.
 * - `claim` hands out jobs that are due at `now`, the earliest due first, in the order of `add` when equally due. No
 *   other claim gets them until `leaseMs` have passed. Claiming is atomic: two callers never hold the same job. However
 *   long the queue of one key is, the jobs of others are found. It may hand out fewer than there are: the answer is
 *   empty only when nothing is due outside the busy keys.
 * - The fence: `renew`, `done`, `retry` and `bury` change nothing when the claim that handed the job out does not hold
 *   it any more, because another one does, or because the job is gone.
 * - `renew` moves the end of the lease, and answers whether the claim still holds the job.
 * - `done` forgets a job. `retry` ends its lease and makes it due at `dueAt`, with `state` where one is given.
 * - `bury` gives a job up: it leaves the queue and is kept as a dead job of its owner, in place of an earlier one of its
 *   id. The owner's oldest go beyond `most`, and those that died more than `keepMs` before this one; those of other
 *   owners go then or later.
 * - `dead` answers at most `limit` dead jobs of an owner whose place is after `after`, in the order of their places.
 * - `resend` puts those of the named that are dead jobs of the owner back into the queue, changed by `fresh`, and
 *   answers how many: a dead job goes back once, however many callers ask.
 * - `size` counts all jobs that are not done; those that are held, or wait for another try, included. `backlog` describes
 *   those that are due at `now` and not held.
 * - `buryBeyond` makes room in a queue that holds more than `most`: it buries the earliest due of the key that has the
 *   most jobs, as `bury` does: the excess, but at most half of that key's and `buriedAtOnce`, and none that is held. It
 *   answers how many, 0 when nothing more is to be buried, and is called again until then.
 * - `watch` calls `wake` when another process may have made a job due. It may call late or never, so runners poll as
 *   well. It answers a function that stops watching.
 * - `close` is called when the runner has stopped for good: what is left waits for another process, or is lost and
 *   logged.
 */
export abstract class JobStore {
  abstract add(jobs: readonly Job[], within?: Within): Promise<{ readonly dropped: number }>;
  abstract claim(claim: JobClaim): Promise<readonly ClaimedJob[]>;
  abstract renew(job: ClaimedJob, leasedUntil: number): Promise<boolean>;
  abstract done(job: ClaimedJob): Promise<void>;
  abstract retry(job: ClaimedJob, dueAt: number, state?: string): Promise<void>;
  abstract bury(job: ClaimedJob, death: Death, limits: DeadJobLimits): Promise<void>;
  abstract dead(owner: string, after: string, limit: number): Promise<readonly DeadJob[]>;
  abstract resend(owner: string, ids: readonly string[], fresh: FreshJob): Promise<number>;
  abstract size(): Promise<number>;
  abstract backlog(now: number): Promise<JobBacklog>;
  abstract buryBeyond(most: number, death: Death, limits: DeadJobLimits): Promise<number>;
  /** By default not supported: `wake` is never called. */
  watch(_wake: () => void): () => Promise<void> {
    return async () => undefined;
  }
  async close(): Promise<void> {}
}
