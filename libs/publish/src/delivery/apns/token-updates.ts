/** A second refusal within this time was another try, not an answer beside the first; in milliseconds. */
const leastMs = 500;
const mostMs = 120_000;

/** Notices when Apple says again, after a backoff, that a key signed too many tokens. */
export class TokenUpdates {
  private refusedAt = -Infinity;

  constructor(private readonly steady: () => number) {}

  /** Returns whether it is a repetition: a new connection may help. */
  refused(): boolean {
    const now = this.steady();
    const sinceMs = now - this.refusedAt;
    if (sinceMs < leastMs) return false;
    const isRepeated = sinceMs <= mostMs;
    this.refusedAt = isRepeated ? -Infinity : now;
    return isRepeated;
  }
}
