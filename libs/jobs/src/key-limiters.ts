import type { ClaimedJob } from './job.js';
import type { JobClaim } from './job.store.js';
import { KeyLimiter, type Waiting } from './key-limiter.js';

/** Keys that are remembered while nothing of them runs. */
const remembered = 1000;

/** The limiters of all keys that have something running, and of those that had lately. */
export class KeyLimiters {
  private readonly limiters = new Map<string, KeyLimiter>();
  private inFlight = 0;
  private troubledInFlight = 0;

  constructor(
    private readonly concurrency: number,
    private readonly perKey: number,
  ) {}

  /** What may be claimed now. */
  room(): Pick<JobClaim, 'limit' | 'perKey' | 'busy'> {
    const busy = new Set<string>();
    for (const [key, limiter] of this.limiters) if (limiter.isFull || !this.mayHaveMore(limiter)) busy.add(key);
    return { limit: this.concurrency - this.inFlight, perKey: this.perKey, busy };
  }

  add(waiting: Waiting): void {
    const { key } = waiting.job;
    const limiter = this.limiters.get(key) ?? new KeyLimiter(this.perKey);
    // Set anew, it is the last of the map: the first is the least recently used one.
    this.limiters.delete(key);
    this.limiters.set(key, limiter);
    limiter.add(waiting);
    if (this.limiters.size > remembered) this.forgetOne();
  }

  /** Takes the jobs that may run now, one of each key in turn. */
  start(now: number): readonly Waiting[] {
    const started: Waiting[] = [];
    for (let before = -1; before < started.length;) {
      before = started.length;
      for (const limiter of this.limiters.values()) {
        const next = this.mayStart(limiter) ? this.counted(limiter, () => limiter.start(now)) : undefined;
        if (next) started.push(next);
      }
    }
    return started;
  }

  finish(waiting: Waiting, well: boolean): void {
    const limiter = this.limiters.get(waiting.job.key);
    // A limiter with something running is not forgotten, so there is one.
    if (limiter) this.counted(limiter, () => limiter.finish(waiting, well));
  }

  /** Lets go of all that is claimed and not running. */
  release(): readonly ClaimedJob[] {
    return [...this.limiters.values()].flatMap((limiter) => limiter.release());
  }

  private mayStart(limiter: KeyLimiter): boolean {
    return !limiter.isIdle && this.inFlight < this.concurrency && this.mayHaveMore(limiter);
  }

  /** Keys in trouble have half of the runner together, so that they cannot take all of it. */
  private mayHaveMore(limiter: KeyLimiter): boolean {
    return !limiter.isTroubled || this.troubledInFlight < this.concurrency / 2;
  }

  /** Keeps the totals right over a change of one limiter. */
  private counted<Result>(limiter: KeyLimiter, change: () => Result): Result {
    this.inFlight -= limiter.inFlight;
    this.troubledInFlight -= limiter.isTroubled ? limiter.inFlight : 0;
    const result = change();
    this.inFlight += limiter.inFlight;
    this.troubledInFlight += limiter.isTroubled ? limiter.inFlight : 0;
    return result;
  }

  private forgetOne(): void {
    for (const [key, limiter] of this.limiters) if (limiter.isIdle) return void this.limiters.delete(key);
  }
}
