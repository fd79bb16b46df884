import { Injectable } from '@nestjs/common';
import { countOf, type RequestLimit, RequestRates } from 'rookery/channels';
import { path } from '../store/document.store.js';
import { LiveStore } from '../store/live.store.js';
import type { Transaction } from '../store/transaction.js';

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

  async giveBack(limits: readonly RequestLimit[]): Promise<void> {
    for (const limit of limits)
      await this.store.transact(async (documents) => {
        const now = Date.now();
        save(documents, limit, Math.min(limit.atOnce, (await filledNow(documents, limit, now)) + countOf(limit)), now);
      });
  }

  private takeOne(limit: RequestLimit): Promise<number> {
    return this.store.transact(async (documents) => {
      const now = Date.now();
      const filled = await filledNow(documents, limit, now);
      // A refused request writes nothing, so it costs nothing.
      const count = countOf(limit);
      if (filled < count) return Math.ceil((count - filled) / limit.perSecond);
      save(documents, limit, filled - count, now);
      return 0;
    });
  }
}

const idOf = ({ name }: RequestLimit): string => path('request-rates', name);

async function filledNow(documents: Transaction, limit: RequestLimit, now: number): Promise<number> {
  const { perSecond, atOnce } = limit;
  const { tokens, filledAt } = (await documents.get<Bucket>(idOf(limit))) ?? { tokens: atOnce, filledAt: now };
  // A clock that is set back earns nothing.
  return Math.min(atOnce, tokens + (Math.max(0, now - filledAt) / 1000) * perSecond);
}

function save(documents: Transaction, limit: RequestLimit, tokens: number, now: number): void {
  const fullAt = now + ((limit.atOnce - tokens) / limit.perSecond) * 1000;
  documents.set(idOf(limit), { tokens, filledAt: now } satisfies Bucket, Math.ceil(fullAt));
}
