import { Logger, Optional } from '@nestjs/common';
import type { DeadJob, DeadJobCounts, DeadJobLimits, Death } from './dead-job.js';
import { DeadJobs } from './dead-jobs.js';
import { DropReport } from './drop-report.js';
import { noTransaction, type Within } from './host-transaction.js';
import type { ClaimedJob, FreshJob, Job } from './job.js';
import { buriedAtOnce, type JobBacklog, type JobClaim, JobStore } from './job.store.js';
import { KeyQueues, type QueuedJob } from './key-queues.js';

/** The limits of a {@link MemoryJobStore}. */
export interface MemoryJobStoreOptions {
  /** Bytes of waiting and dead jobs, each counted with an extra 1 KB. @default 67108864 (64 MB) */
  readonly maxBytes?: number;
}

interface Held extends QueuedJob {
  readonly claimId: string;
  until: number;
  /** The latest time at which it is due, once its claim ends. */
  dueBy?: number;
}

/**
 * In memory: for one process; unfinished jobs are lost when it stops. When it is full, it deletes the oldest dead jobs,
 * then the earliest jobs of the key with the longest queue, and logs it.
 */
export class MemoryJobStore extends JobStore {
  private readonly queues = new KeyQueues();
  private readonly deadJobs = new DeadJobs();
  private readonly held = new Map<string, Held>();
  /** The ids of all waiting and claimed jobs. */
  private readonly known = new Set<string>();
  private readonly logger = new Logger(MemoryJobStore.name);
  private readonly drops = new DropReport(this.logger, 'jobs');
  private readonly maxBytes: number;
  private added = 0;
  /** Dropped since the last result of `add`: jobs that return from a claim may exceed the limit as well. */
  private dropped = 0;

  constructor(@Optional() { maxBytes = 64 * 1024 * 1024 }: MemoryJobStoreOptions = {}) {
    super();
    if (!(maxBytes > 0)) throw new Error(`MemoryJobStore: maxBytes must be above 0, got ${String(maxBytes)}`);
    this.maxBytes = maxBytes;
  }

  async add(jobs: readonly Job[], within?: Within): Promise<{ readonly dropped: number }> {
    if (within) throw noTransaction('MemoryJobStore', 'a JobStore that is in the database of that transaction');
    return { dropped: this.adding(jobs) };
  }

  /** Like `add`, but synchronous, so that the caller's other changes happen in the same step. */
  adding(jobs: readonly Job[]): number {
    for (const job of jobs) {
      if (this.known.has(job.id)) continue;
      this.known.add(job.id);
      this.wait({ job, order: ++this.added });
    }
    const { dropped } = this;
    this.dropped = 0;
    return dropped;
  }

  async claim(claim: JobClaim): Promise<readonly ClaimedJob[]> {
    this.drops.log();
    this.endLeases(claim.now);
    const found = this.queues.takeDue(claim);
    for (const waiting of found)
      this.held.set(waiting.job.id, { ...waiting, claimId: claim.id, until: claim.now + claim.leaseMs });
    return found.map(({ job }) => ({ ...job, claimId: claim.id }));
  }

  async renew(job: ClaimedJob, leasedUntil: number): Promise<boolean> {
    const held = this.heldBy(job);
    if (held) held.until = leasedUntil;
    return held !== undefined;
  }

  async done(job: ClaimedJob): Promise<void> {
    this.ending(job);
  }

  /** Like `done`; returns whether the claim held the job. */
  ending(job: ClaimedJob): boolean {
    if (!this.heldBy(job)) return false;
    this.held.delete(job.id);
    this.known.delete(job.id);
    return true;
  }

  /** Whether the claim holds the job. */
  isHeld(job: ClaimedJob): boolean {
    return this.heldBy(job) !== undefined;
  }

  /** Whether it has the job, claimed or not. */
  has(id: string): boolean {
    return this.known.has(id);
  }

  /** Deletes the jobs of a key, or those of them with some ids, also claimed ones. */
  forget(key: string, ids?: ReadonlySet<string>): void {
    const isKept = (job: Job): boolean => job.key !== key || ids?.has(job.id) === false;
    for (const queued of this.queues.takeAll(key))
      if (isKept(queued.job)) this.queues.push(queued);
      else this.known.delete(queued.job.id);
    for (const { job } of this.held.values()) {
      if (isKept(job)) continue;
      this.held.delete(job.id);
      this.known.delete(job.id);
    }
  }

  /** The jobs of a key, also claimed ones, in no particular order. */
  ofKey(key: string): readonly Job[] {
    const held = Array.from(this.held.values(), ({ job }) => job).filter((job) => job.key === key);
    return [...this.queues.of(key), ...held];
  }

  /** The unclaimed jobs of a key. */
  waiting(key: string): readonly Job[] {
    return this.queues.of(key);
  }

  /** Whether its key has other jobs. */
  hasOthers({ id, key }: Job): boolean {
    return (
      this.queues.of(key).length > 0 || [...this.held.values()].some(({ job }) => job.key === key && job.id !== id)
    );
  }

  /** Makes the jobs of a key due at `at`; claimed jobs become due when their claims end. */
  hurry(key: string, at: number): void {
    for (const { job, order } of this.queues.takeAll(key))
      this.wait({ job: { ...job, dueAt: Math.min(job.dueAt, at) }, order });
    for (const held of this.held.values()) if (held.job.key === key) held.dueBy = at;
  }

  async retry(job: ClaimedJob, dueAt: number, state = job.state): Promise<void> {
    const held = this.heldBy(job);
    if (!held) return;
    this.held.delete(job.id);
    this.wait({ job: { ...held.job, dueAt: Math.min(dueAt, held.dueBy ?? Infinity), state }, order: held.order });
  }

  async bury(job: ClaimedJob, death: Death, limits: DeadJobLimits): Promise<void> {
    const held = this.heldBy(job);
    if (!held) return;
    this.ending(job);
    this.deadJobs.add({ job: held.job, ...death }, limits);
    this.makeRoom();
  }

  async dead(owner: string, after: string, limit: number): Promise<readonly DeadJob[]> {
    return this.deadJobs.page(owner, after, limit);
  }

  async latestDead(owner: string, before: string, limit: number): Promise<readonly DeadJob[]> {
    return this.deadJobs.latest(owner, before, limit);
  }

  async deadCounts(owner: string): Promise<DeadJobCounts> {
    return this.deadJobs.counts(owner);
  }

  async resend(owner: string, ids: readonly string[], fresh: FreshJob): Promise<number> {
    const dead = this.deadJobs.takeAll(owner, ids);
    this.adding(dead.map(({ job }) => ({ ...job, ...fresh })));
    return dead.length;
  }

  async size(): Promise<number> {
    return this.known.size;
  }

  async backlog(now: number): Promise<JobBacklog> {
    this.endLeases(now);
    const oldestDueAt = this.queues.earliestDueAt();
    const isDue = oldestDueAt !== undefined && oldestDueAt <= now;
    return { dueKeys: this.queues.dueKeys(now), ...(isDue && { oldestDueAt }) };
  }

  async buryBeyond(most: number, death: Death, limits: DeadJobLimits): Promise<number> {
    this.endLeases(death.diedAt);
    const buried = this.queues.takeFromFullest(Math.min(this.known.size - most, buriedAtOnce));
    for (const job of buried) {
      this.known.delete(job.id);
      this.deadJobs.add({ job, ...death }, limits);
    }
    this.makeRoom();
    return buried.length;
  }

  override async close(): Promise<void> {
    if (this.known.size > 0) this.logger.warn(`${this.known.size} jobs were not done and are lost`);
  }

  /** The fence: finds nothing if another claim has the job. */
  private heldBy({ id, claimId }: ClaimedJob): Held | undefined {
    const held = this.held.get(id);
    return held?.claimId === claimId ? held : undefined;
  }

  private wait(waiting: QueuedJob): void {
    this.queues.push(waiting);
    this.makeRoom();
  }

  private makeRoom(): void {
    while (this.queues.bytes + this.deadJobs.bytes > this.maxBytes)
      if (!this.deadJobs.dropOldest()) this.drop(this.queues.takeFromLongest());
  }

  private drop({ id, owner }: Job): void {
    this.known.delete(id);
    this.dropped += 1;
    this.drops.count(`dropped, last ${id} of ${owner}`);
  }

  private endLeases(now: number): void {
    for (const [id, { job, order, until }] of this.held) {
      if (until > now) continue;
      this.held.delete(id);
      this.wait({ job, order });
    }
  }
}
