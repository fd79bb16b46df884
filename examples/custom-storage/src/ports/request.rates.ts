import { Injectable } from '@nestjs/common';
import { type RequestLimit, RequestRates } from 'rookery/common';
import { path } from '../store/document.store.js';
import { LiveStore } from '../store/live.store.js';

interface Bucket {
  readonly tokens: number;
  /** Epoch milliseconds. */
  readonly filledAt: number;
}

/** A document for each name: how many requests it may still make. It is gone when these would be all of them again. */
@Injectable()
export class StoredRequestRates extends RequestRates {
  constructor(private readonly store: LiveStore) {
    super();
  }

  async take(limits: readonly RequestLimit[]): Promise<number> {
    for (const limit of limits) {
      const seconds = await this.takeOne(limit);
      if (seconds > 0) return seconds;
    }
    return 0;
  }

  private takeOne({ name, perSecond, atOnce }: RequestLimit): Promise<number> {
    return this.store.transact(async (documents) => {
      const id = path('request-rates', name);
      const now = Date.now();
      const { tokens, filledAt } = (await documents.get<Bucket>(id)) ?? { tokens: atOnce, filledAt: now };
      // A clock that is set back earns nothing.
      const filled = Math.min(atOnce, tokens + (Math.max(0, now - filledAt) / 1000) * perSecond);
      // What is refused writes nothing: it costs nothing.
      if (filled < 1) return Math.ceil((1 - filled) / perSecond);
      const fullAt = now + ((atOnce - filled + 1) / perSecond) * 1000;
      documents.set(id, { tokens: filled - 1, filledAt: now } satisfies Bucket, Math.ceil(fullAt));
      return 0;
    });
  }
}
