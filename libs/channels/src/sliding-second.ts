const secondMs = 1000;

/** Lets through a number of things in a second, whichever second one looks at: no window begins anew. */
export class SlidingSecond {
  /** When each of the latest was let through, in the time of `performance.now()`; a ring. */
  private readonly times: Float64Array | undefined;
  private next = 0;

  /** @param limit how many; Infinity for any number */
  constructor(readonly limit: number) {
    if (limit < Infinity) this.times = new Float64Array(limit).fill(-Infinity);
  }

  /**
   * Lets through all of `count` or none. More than the limit count as the limit: they are let through where nothing else
   * was within the second.
   */
  take(count = 1): boolean {
    const { times, limit } = this;
    if (!times) return true;
    if (limit === 0) return false;
    const now = performance.now();
    const taken = Math.min(count, limit);
    // The latest of those that they take the place of must be over.
    if (taken > 0 && times[(this.next + taken - 1) % limit]! > now - secondMs) return false;
    for (let i = 0; i < taken; i++) times[this.next++ % limit] = now;
    this.next %= limit;
    return true;
  }
}
