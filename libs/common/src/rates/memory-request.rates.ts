import { Injectable } from '@nestjs/common';
import { dropOldest } from '../drop-oldest.js';
import { countOf, type RequestLimit, RequestRates } from './request.rates.js';

/** Clients may choose the names, for example by their addresses. */
const maxNames = 10_000;

interface Bucket {
  tokens: number;
  /** In milliseconds of `performance.now()`, which is never set back. */
  filledAt: number;
}

/** In memory: each process counts for itself, and remembers the latest 10,000 names. */
@Injectable()
export class MemoryRequestRates extends RequestRates {
  /** Ordered by last use. */
  private readonly buckets = new Map<string, Bucket>();

  take(limits: readonly RequestLimit[]): number {
    for (const limit of limits) {
      const seconds = this.takeOne(limit);
      if (seconds > 0) return seconds;
    }
    return 0;
  }

  giveBack(limits: readonly RequestLimit[]): void {
    for (const limit of limits) {
      const bucket = this.filled(limit);
      bucket.tokens = Math.min(limit.atOnce, bucket.tokens + countOf(limit));
    }
  }

  private takeOne(limit: RequestLimit): number {
    const bucket = this.filled(limit);
    const count = countOf(limit);
    if (bucket.tokens < count) return Math.ceil((count - bucket.tokens) / limit.perSecond);
    bucket.tokens -= count;
    return 0;
  }

  private filled({ name, perSecond, atOnce }: RequestLimit): Bucket {
    const now = performance.now();
    const bucket = this.buckets.get(name) ?? { tokens: atOnce, filledAt: now };
    bucket.tokens = Math.min(atOnce, bucket.tokens + ((now - bucket.filledAt) / 1000) * perSecond);
    bucket.filledAt = now;
    this.buckets.delete(name);
    this.buckets.set(name, bucket);
    dropOldest(this.buckets, maxNames);
    return bucket;
  }
}
