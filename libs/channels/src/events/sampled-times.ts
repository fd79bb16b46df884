import { preciseNow } from '../precise-now.js';

const everyMs = 10;

/** Takes the time of one trigger in ten milliseconds at most: of few all are looked at, and many do not pay for it. */
export class SampledTimes {
  private next = 0;

  /** The time, in milliseconds of the epoch and parts of them; nothing when this trigger is not one of the sample. */
  take(): number | undefined {
    const now = preciseNow();
    if (now < this.next) return undefined;
    this.next = now + everyMs;
    return now;
  }
}
