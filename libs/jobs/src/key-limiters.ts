import type { ClaimedJob } from './job.js';
import type { JobClaim } from './job.store.js';
import { KeyLimiter, type ClaimedWork } from './key-limiter.js';

/** The number of limiters kept while none of their jobs runs. */
const remembered = 1000;

/** The limiters of all shares with running jobs, and of recently used ones. */
export class KeyLimiters {
  private readonly limiters = new Map<string, KeyLimiter>();
  private inFlight = 0;
  private troubledInFlight = 0;

  constructor(
    private readonly concurrency: number,
    private readonly perKey: number,
  ) {}

  /** The current capacity for claims. */
  room(): Pick<JobClaim, 'limit' | 'perKey' | 'busy'> {
    const busy = new Set<string>();
    for (const limiter of this.limiters.values())
      if (limiter.isFull || !this.mayHaveMore(limiter)) for (const key of limiter.keys) busy.add(key);
    return { limit: this.concurrency - this.inFlight, perKey: this.perKey, busy };
  }

  add(waiting: ClaimedWork): void {
    const { share } = waiting;
    const limiter = this.limiters.get(share) ?? new KeyLimiter(this.perKey);
    // Reinserting makes it the last of the map: the first is the least recently used.
    this.limiters.delete(share);
    this.limiters.set(share, limiter);
    limiter.add(waiting);
    if (this.limiters.size > remembered) this.forgetOne();
  }

  /** Starts the jobs that may run now, one per share in turn. */
  start(now: number): readonly ClaimedWork[] {
    const started: ClaimedWork[] = [];
    for (let before = -1; before < started.length;) {
      before = started.length;
      for (const limiter of this.limiters.values()) {
        const next = this.mayStart(limiter) ? this.counted(limiter, () => limiter.start(now)) : undefined;
        if (next) started.push(next);
      }
    }
    return started;
  }

  finish(waiting: ClaimedWork, well: boolean): void {
    const limiter = this.limiters.get(waiting.share);
    // A limiter with running jobs is never forgotten, so it exists.
    if (limiter) this.counted(limiter, () => limiter.finish(waiting, well));
    // It has learned nothing to remember.
    if (this.perKey === 1 && limiter?.isIdle && well) this.limiters.delete(waiting.share);
  }

  /** Removes and returns all claimed jobs that are not running. */
  release(): readonly ClaimedJob[] {
    return [...this.limiters.values()].flatMap((limiter) => limiter.release());
  }

  private mayStart(limiter: KeyLimiter): boolean {
    return !limiter.isIdle && this.inFlight < this.concurrency && this.mayHaveMore(limiter);
  }

  /** All keys in trouble share half of the runner, so that they cannot take all of it. */
  private mayHaveMore(limiter: KeyLimiter): boolean {
    return !limiter.isTroubled || this.troubledInFlight < this.concurrency / 2;
  }

  /** Updates the totals for a change of one limiter. */
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
