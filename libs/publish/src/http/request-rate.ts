import type { FactoryProvider } from '@nestjs/common';
import { type Clock, publishClock } from '../publish.options.js';

/** How many requests an instance may make in a second; as many may come at once (api § Limits). */
export const requestsPerSecond = 100;

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** A token bucket for each instance. Only instances that are known are asked about, so the map stays small. */
export class RequestRate {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly now: () => number,
    private readonly perSecond = requestsPerSecond,
  ) {}

  /** Counts a request. Answers 0 when it is within the rate, else the whole seconds after which to come back. */
  take(instanceId: string): number {
    const bucket = this.filled(instanceId);
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / this.perSecond);
    bucket.tokens -= 1;
    return 0;
  }

  private filled(instanceId: string): Bucket {
    const now = this.now();
    const bucket = this.buckets.get(instanceId) ?? { tokens: this.perSecond, filledAt: now };
    const earned = (Math.max(0, now - bucket.filledAt) / 1000) * this.perSecond;
    bucket.tokens = Math.min(this.perSecond, bucket.tokens + earned);
    bucket.filledAt = now;
    this.buckets.set(instanceId, bucket);
    return bucket;
  }
}

/** One for the process: publishes and deletions of users count together (beams-wire §3.3). */
export const requestRateProvider: FactoryProvider<RequestRate> = {
  provide: RequestRate,
  useFactory: (now: Clock) => new RequestRate(now),
  inject: [publishClock],
};
