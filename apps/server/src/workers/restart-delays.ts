/** A worker that has served for so long has not died of its start. */
const soundMs = 10_000;
const firstDelayMs = 100;
const longestDelayMs = 30_000;

/** How long to wait before a worker takes a dead one's place: longer each time, while they die soon after their start. */
export class RestartDelays {
  private delayMs = 0;

  /** @param servedMs how long the dead one has served */
  next(servedMs: number): number {
    if (servedMs >= soundMs) this.delayMs = 0;
    const delayMs = this.delayMs;
    this.delayMs = Math.min(Math.max(2 * delayMs, firstDelayMs), longestDelayMs);
    return delayMs;
  }
}
