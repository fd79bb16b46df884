/** Names may come from anybody, such as addresses do. */
const mostNames = 10_000;

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** A token bucket for each name, such as an instance's id: so many requests in a second, and so many at once. */
export class RequestRate {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly now: () => number,
    private readonly perSecond: number,
    private readonly atOnce = perSecond,
  ) {}

  /** Counts a request. Answers 0 when it is within the rate, else the whole seconds after which to come back. */
  take(name: string): number {
    const bucket = this.filled(name);
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / this.perSecond);
    bucket.tokens -= 1;
    return 0;
  }

  private filled(name: string): Bucket {
    const now = this.now();
    const bucket = this.buckets.get(name) ?? this.added(name, now);
    const earned = (Math.max(0, now - bucket.filledAt) / 1000) * this.perSecond;
    bucket.tokens = Math.min(this.atOnce, bucket.tokens + earned);
    bucket.filledAt = now;
    return bucket;
  }

  private added(name: string, now: number): Bucket {
    const bucket = { tokens: this.atOnce, filledAt: now };
    this.buckets.set(name, bucket);
    if (this.buckets.size > mostNames) this.forgetOldest();
    return bucket;
  }

  private forgetOldest(): void {
    for (const oldest of this.buckets.keys()) return void this.buckets.delete(oldest);
  }
}
