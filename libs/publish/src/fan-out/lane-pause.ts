import type { PageOutcome } from './page-outcome.js';
import { type Backoff, retryDelay } from './retry-delay.js';

/** Holds the next page of a lane back while the gateway puts off most of what it gets. */
export class LanePause {
  /** No new page before this, by the steady clock. */
  until = 0;
  /** How often in a row it was so. A page remembers what it was when it began. */
  times = 0;

  constructor(private readonly backoff: Backoff) {}

  /**
   * Looks at a page; pages that were under way together count as one.
   *
   * @param now - by the steady clock
   * @param mostMs - after so long nothing is worth waiting for
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
