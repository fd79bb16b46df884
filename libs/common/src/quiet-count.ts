/** Counts what is logged in one line: the first at once, then in at most one line in ten seconds, or another time. */
export class QuietCount {
  private counted = 0;
  private loggedAt = -Infinity;

  constructor(private readonly quietMs = 10_000) {}

  /** @returns as {@link due} */
  add(count = 1): number {
    this.counted += count;
    return this.due();
  }

  /** @returns how many to log now, which count no longer; 0: none, or too soon */
  due(): number {
    const now = performance.now();
    if (this.counted === 0 || now - this.loggedAt < this.quietMs) return 0;
    const { counted } = this;
    this.counted = 0;
    this.loggedAt = now;
    return counted;
  }
}
