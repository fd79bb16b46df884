const secondMs = 1000;

/** Allows at most `limit` in any second: a sliding window. */
export class SlidingSecond {
  /** When each of the latest was allowed, in the time of `performance.now()`; a ring buffer. */
  private readonly times: Float64Array | undefined;
  private next = 0;

  /** @param limit the most in a second; Infinity for no limit */
  constructor(readonly limit: number) {
    if (limit < Infinity) this.times = new Float64Array(limit).fill(-Infinity);
  }

  /**
   * Allows all of `count` or none. More than the limit counts as the limit: it is allowed if nothing else was within
   * the second.
   */
  take(count = 1): boolean {
    const { times, limit } = this;
    if (!times) return true;
    if (limit === 0) return false;
    const now = performance.now();
    const taken = Math.min(count, limit);
    // The latest of the entries that would be overwritten must be older than a second.
    if (taken > 0 && times[(this.next + taken - 1) % limit]! > now - secondMs) return false;
    for (let i = 0; i < taken; i++) times[this.next++ % limit] = now;
    this.next %= limit;
    return true;
  }
}
