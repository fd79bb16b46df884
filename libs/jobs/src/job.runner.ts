import { Logger } from '@nestjs/common';
import { AsyncResource } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { DeadJobLimits } from './dead-job.js';
import { DropReport } from './drop-report.js';
import type { ClaimedJob } from './job.js';
import { JobLease } from './job-lease.js';
import type { JobStore } from './job.store.js';
import type { ClaimedWork } from './key-limiter.js';
import { KeyLimiters } from './key-limiters.js';

/** The outcome of a run. `ended`: the run has ended the job in the store itself, in its own transaction. */
export type JobOutcome =
  | { readonly outcome: 'done' | 'ended' }
  | { readonly outcome: 'retry'; readonly dueAt: number; readonly state?: unknown }
  | { readonly outcome: 'bury'; readonly reason: string };

/** A running job. */
export interface JobRun {
  readonly job: ClaimedJob;
  readonly lease: JobLease;
  /** Whether the runner has no capacity for other jobs. */
  isCrowded(): boolean;
  /** Frees its slot for another job while this one only waits. */
  stepAside(): void;
}

/** Options of a {@link JobRunner}. */
export interface JobRunnerOptions {
  /** The name of its jobs in the log, such as `webhooks`. */
  readonly jobs: string;
  /** If it throws, the job runs again once its lease has ended. */
  readonly run: (run: JobRun) => Promise<JobOutcome>;
  /** The maximum number of concurrent runs. */
  readonly concurrency: number;
  /** The maximum number of runs, counting those that have stepped aside. @default ten times `concurrency` */
  readonly maxRuns?: number;
  /** The maximum number of concurrent runs per key. */
  readonly perKey: number;
  /** Keys with the same share are limited together, as if they were one. @default each key by itself */
  readonly shareOf?: (job: ClaimedJob) => string;
  /** First runs of one share with the same sequence start one after another. */
  readonly sequenceOf?: (job: ClaimedJob) => string | undefined;
  /**
   * A key is in trouble once a run takes longer or fails: until a run goes well, it gets one run at a time, and all
   * keys in trouble share half of the runner. In milliseconds. @default Infinity: every run goes well
   */
  readonly slowMs?: number;
  readonly leaseMs: number;
  /** The longest run that does not renew its lease, in milliseconds. @default 0 */
  readonly longestRunMs?: number;
  /**
   * How often to poll the store for jobs of other processes, in milliseconds; an idle runner polls a fifth or a tenth as
   * often if its store reports them.
   */
  readonly pollMs: number;
  /** Whether waiting for jobs keeps the process alive. @default false */
  readonly keepsAlive?: boolean;
  readonly deadJobs?: DeadJobLimits;
  /** The maximum queue length; beyond it, the earliest jobs of the longest keys are given up. @default Infinity */
  readonly maxWaiting?: number;
  /** Called with the number of jobs given up. */
  readonly onGivenUp?: (jobs: number) => void;
  /** The clocks: epoch milliseconds, and a steady one that never goes back. */
  readonly now?: () => number;
  readonly steady?: () => number;
}

/** How often a runner checks whether the queue is too long. */
const depthMs = 5000;

/**
 * How much longer the polls of an idle runner are apart whose store reports the jobs of other processes; of an empty
 * store, twice as much.
 */
const idlePolls = 5;

/** The factor by which running jobs may exceed `concurrency` by default, if most of them have stepped aside. */
const maxAside = 10;

const none: DeadJobLimits = { most: 0, maxBytes: 0, keepMs: 0 };

/**
 * Runs the jobs of a store as they become due: several at once, with a fair share per key, each until its outcome is
 * stored.
 */
export class JobRunner {
  private readonly logger: Logger;
  /** Jobs run in this context, not in that of the caller that woke the runner, such as a transaction. */
  private readonly context = new AsyncResource('JobRunner');
  private readonly name = randomUUID();
  private claims = 0;
  private readonly limiters: KeyLimiters;
  private readonly runs = new Set<Promise<void>>();
  private readonly overflow: DropReport;
  private readonly clocks: { readonly now: () => number; readonly steady: () => number };
  private phase: 'running' | 'draining' | 'stopped' = 'running';
  private claiming: Promise<void> | undefined;
  private again = false;
  /** Whether jobs may have come since the last claim, of which the store need not be asked. */
  private isWoken = false;
  private timer: NodeJS.Timeout | undefined;
  private wakesAt = Infinity;
  private lookedAt = -Infinity;
  private unwatch: (() => Promise<void>) | undefined;
  /** Whether the store has reported jobs of other processes, and will report the next. */
  private isReported = false;

  constructor(
    private readonly store: JobStore,
    private readonly options: JobRunnerOptions,
  ) {
    this.logger = new Logger(`Jobs: ${options.jobs}`);
    this.overflow = new DropReport(this.logger, options.jobs);
    this.limiters = new KeyLimiters(options.concurrency, options.perKey);
    this.clocks = { now: options.now ?? Date.now, steady: options.steady ?? (() => performance.now()) };
  }

  /** Whether the runner is interrupting runs: they should make unfinished jobs due again. */
  get isStopped(): boolean {
    return this.phase === 'stopped';
  }

  /** Starts looking for jobs, beginning with those that an earlier process left. */
  start(): void {
    this.unwatch = this.store.watch(() => {
      this.isReported = true;
      this.wake();
    });
    this.wake();
  }

  /** Looks for jobs now instead of at the next poll. */
  wake(): void {
    this.isWoken = true;
    this.look();
  }

  private look(): void {
    if (this.isStopped) return;
    this.again = true;
    this.claiming ??= this.context.runInAsyncScope(() => this.claimAll());
  }

  /** Waits for the current runs. */
  async finished(): Promise<void> {
    await this.claiming;
    await Promise.all(this.runs);
  }

  /** Runs the jobs that are due now, and no later ones. */
  async drain(): Promise<void> {
    if (this.phase === 'running') this.phase = 'draining';
    clearTimeout(this.timer);
    this.wake();
    while (this.claiming || this.runs.size > 0) await this.finished();
  }

  /** Stops claiming, waits for the current runs, and returns jobs that have not started. */
  async stop(): Promise<void> {
    this.phase = 'stopped';
    clearTimeout(this.timer);
    await this.unwatch?.();
    await this.claiming;
    await Promise.all([...this.runs, this.release()]);
  }

  /** A shutdown goes on without a store that is away. */
  private async release(): Promise<void> {
    try {
      await Promise.all(this.limiters.release().map((job) => this.store.retry(job, job.dueAt)));
    } catch (error) {
      this.logger.error('Jobs that have not started are left to their lease: they could not be returned', error);
    }
  }

  private async claimAll(): Promise<void> {
    let idleUntil = 0;
    try {
      while (this.again && !this.isStopped) {
        this.again = false;
        idleUntil = this.isWoken ? 0 : await this.nextDueAt();
        if (idleUntil <= this.clocks.now()) {
          this.isWoken = false;
          this.again = (await this.claimSome()) || this.again;
          if (!this.again) idleUntil = await this.nextDueAt();
        }
        // An empty queue is not too long.
        if (idleUntil < Infinity) this.again = (await this.buryBeyond()) || this.again;
      }
    } catch (error) {
      this.logger.error(`The queue cannot be read; trying again in ${this.options.pollMs} ms`, error);
    }
    this.claiming = undefined;
    const { pollMs } = this.options;
    const now = this.clocks.now();
    const seldom = idleUntil === Infinity ? 2 * idlePolls : idlePolls;
    this.wakeAt(Math.max(now + pollMs, Math.min(idleUntil, now + seldom * pollMs)));
  }

  /** Until when the runner has nothing to do but the jobs that its store reports; 0 if that is unknown. */
  private async nextDueAt(): Promise<number> {
    if (!this.isReported || this.runs.size > 0) return 0;
    return (await this.store.nextDueAt()) ?? 0;
  }

  /** @returns whether there may be more */
  private async claimSome(): Promise<boolean> {
    this.startAll();
    const room = this.room();
    if (room.limit <= 0) return false;
    const { leaseMs, longestRunMs = 0, shareOf = (job) => job.key, sequenceOf } = this.options;
    const [now, askedAt] = [this.clocks.now(), this.clocks.steady()];
    const claimed = await this.store.claim({ ...room, id: `${this.name}/${(this.claims += 1)}`, now, leaseMs });
    const startBy = now + leaseMs - longestRunMs;
    for (const job of claimed) {
      const leasedUntil = askedAt + leaseMs;
      this.limiters.add({ job, share: shareOf(job), startBy, leasedUntil, sequence: sequenceOf?.(job) });
    }
    this.startAll();
    return claimed.length > 0;
  }

  private room() {
    const { limit, ...room } = this.limiters.room();
    const { concurrency, maxRuns = concurrency * maxAside } = this.options;
    return { ...room, limit: this.runs.size < maxRuns ? limit : 0 };
  }

  /** Buries a limited number per call, so that claims do not wait long. @returns whether there may be more to bury */
  private async buryBeyond(): Promise<boolean> {
    const { maxWaiting = Infinity, deadJobs = none, onGivenUp } = this.options;
    this.overflow.log();
    if (maxWaiting === Infinity || this.phase !== 'running' || this.clocks.steady() - this.lookedAt < depthMs)
      return false;
    const death = { diedAt: this.clocks.now(), reason: 'the queue was full' };
    const buried = await this.store.buryBeyond(maxWaiting, death, deadJobs);
    this.lookedAt = buried > 0 ? -Infinity : this.clocks.steady();
    if (buried === 0) return false;
    this.overflow.count('given up, the earliest of the longest queues', buried);
    onGivenUp?.(buried);
    return true;
  }

  private startAll(): void {
    for (const waiting of this.limiters.start(this.clocks.now())) {
      const run = this.run(waiting).finally(() => {
        this.runs.delete(run);
        this.wake();
      });
      this.runs.add(run);
    }
  }

  private async run(waiting: ClaimedWork): Promise<void> {
    const { job, leasedUntil } = waiting;
    const startedAt = this.clocks.steady();
    let isAside = false;
    const leave = (isFine: boolean): void => {
      const { slowMs = Infinity } = this.options;
      if (!isAside)
        this.limiters.finish(waiting, slowMs === Infinity || (isFine && this.clocks.steady() - startedAt <= slowMs));
      isAside = true;
    };
    const lease = new JobLease(this.store, job, this.options.leaseMs, leasedUntil, this.clocks);
    const isCrowded = (): boolean => this.room().limit <= 0;
    const stepAside = (): void => {
      leave(true);
      this.wake();
    };
    try {
      const outcome = await this.options.run({ job, lease, isCrowded, stepAside });
      leave(outcome.outcome === 'done' || outcome.outcome === 'ended');
      await this.keep(job, outcome);
    } catch (error) {
      leave(false);
      this.logger.error(`Job ${job.id} failed, or its outcome cannot be kept; it will run again`, error);
    }
  }

  private async keep(job: ClaimedJob, outcome: JobOutcome): Promise<void> {
    const { deadJobs = none, onGivenUp } = this.options;
    switch (outcome.outcome) {
      case 'ended':
        return;
      case 'done':
        return this.store.done(job);
      case 'retry':
        await this.store.retry(job, outcome.dueAt, outcome.state);
        return this.wakeAt(outcome.dueAt);
      case 'bury':
        onGivenUp?.(1);
        return this.store.bury(job, { diedAt: this.clocks.now(), reason: outcome.reason }, deadJobs);
      default:
        outcome satisfies never;
    }
  }

  /** A single timer, for the earliest job. */
  private wakeAt(time: number): void {
    if (this.phase !== 'running' || time >= this.wakesAt) return;
    clearTimeout(this.timer);
    this.wakesAt = time;
    this.timer = setTimeout(() => this.onTimer(), time - this.clocks.now());
    if (!this.options.keepsAlive) this.timer.unref();
  }

  private onTimer(): void {
    this.wakesAt = Infinity;
    this.look();
  }
}
