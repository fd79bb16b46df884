/** A worker that has served for this long did not die of its start. */
const soundMs = 10_000;
const firstDelayMs = 100;
const longestDelayMs = 30_000;

/** Delays before dead workers are replaced: growing while workers die soon after their start. */
export class RestartDelays {
  private delayMs = 0;

  /** @param servedMs how long the dead worker has served */
  next(servedMs: number): number {
    if (servedMs >= soundMs) this.delayMs = 0;
    const delayMs = this.delayMs;
    this.delayMs = Math.min(Math.max(2 * delayMs, firstDelayMs), longestDelayMs);
    return delayMs;
  }
}
