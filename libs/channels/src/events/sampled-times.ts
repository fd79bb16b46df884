import { preciseNow } from '../precise-now.js';

const everyMs = 10;

/**
 * Samples the time of at most one trigger in ten milliseconds: every trigger at low rates, at little cost at high ones.
 */
export class SampledTimes {
  private next = 0;

  /** The time in fractional epoch milliseconds; undefined when this trigger is not sampled. */
  take(): number | undefined {
    const now = preciseNow();
    if (now < this.next) return undefined;
    this.next = now + everyMs;
    return now;
  }
}
