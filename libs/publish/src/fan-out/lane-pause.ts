import type { PageOutcome } from './page-outcome.js';
import { type Backoff, retryDelay } from './retry-delay.js';

/** Delays a lane's next page while the gateway defers most devices. */
export class LanePause {
  /** No new page before this, by the steady clock. */
  until = 0;
  /** Consecutive delays. A page remembers the count from when it began. */
  times = 0;

  constructor(private readonly backoff: Backoff) {}

  /**
   * Takes a page's outcome into account; pages that were under way together count as one.
   *
   * @param now - by the steady clock
   * @param mostMs - the longest useful wait
   */
  after({ later }: PageOutcome, page: { tried: number; timesBefore: number }, now: number, mostMs: number): void {
    if (later.length * 2 <= page.tried) this.times = 0;
    else if (page.timesBefore === this.times) {
      this.times += 1;
      const wishMs = later.reduce((least, { retryAfterMs = 0 }) => Math.min(least, retryAfterMs), Infinity);
      this.until = now + Math.min(retryDelay(this.times, this.backoff, wishMs), mostMs);
    }
  }
}
