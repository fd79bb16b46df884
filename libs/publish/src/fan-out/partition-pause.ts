import type { PageOutcome } from './page-outcome.js';
import { type Backoff, retryDelay } from './retry-delay.js';

/** Delays a partition's next page while the gateway defers most devices. */
export class PartitionPause {
  /** No new page before this time, by the steady clock. */
  until = 0;
  /** The number of consecutive delays. A page remembers the number from its start. */
  times = 0;

  constructor(private readonly backoff: Backoff) {}

  /**
   * Considers a page's outcome; pages sent at the same time count as one.
   *
   * @param now - by the steady clock
   * @param maxMs - the longest useful wait
   */
  after(
    { later }: Pick<PageOutcome, 'later'>,
    page: { tried: number; timesBefore: number },
    now: number,
    maxMs: number,
  ): void {
    if (later.length * 2 <= page.tried) this.times = 0;
    else if (page.timesBefore === this.times) {
      this.times += 1;
      const wishMs = later.reduce((least, { retryAfterMs = 0 }) => Math.min(least, retryAfterMs), Infinity);
      this.until = now + Math.min(retryDelay(this.times, this.backoff, wishMs), maxMs);
    }
  }
}
