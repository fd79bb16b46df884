const secondMs = 1000;

/**
 * Allows at most `limit` in any second: a sliding window. A `Balance`, which all other rates use, would allow nearly twice
 * as many in the first second, and the API promises 10 client events (channels-wire §4).
 */
export class SlidingSecond {
  /** When each of the latest was allowed, in the time of `performance.now()`; a ring buffer. */
  private readonly times: Float64Array | undefined;
  private next = 0;

  /** @param limit the most in a second; Infinity for no limit */
  constructor(readonly limit: number) {
    if (limit < Infinity) this.times = new Float64Array(limit).fill(-Infinity);
  }

  take(): boolean {
    const { times, limit } = this;
    if (!times) return true;
    if (limit === 0) return false;
    const now = performance.now();
    // The entry that would be overwritten must be older than a second.
    if (times[this.next]! > now - secondMs) return false;
    times[this.next] = now;
    this.next = (this.next + 1) % limit;
    return true;
  }
}
