import { Injectable } from '@nestjs/common';
import { TriggerRate } from 'rookery/channels';
import { path } from '../store/document.store.js';
import { LiveStore } from '../store/live.store.js';

/** How many events came at a moment. */
type Taken = readonly [at: number, events: number];

/** A document for each app: what it triggered in the second that ends now. It is gone a second after the last. */
@Injectable()
export class StoredTriggerRate extends TriggerRate {
  constructor(private readonly store: LiveStore) {
    super();
  }

  take(appId: string, limit: number, events: number): Promise<boolean> {
    return this.store.transact(async (documents) => {
      const id = path('trigger-rates', appId);
      const now = Date.now();
      const all = (await documents.get<readonly Taken[]>(id)) ?? [];
      // A moment is a whole millisecond: those of just a second ago may still be within it.
      const lately = all.filter(([at]) => at >= now - 1000);
      const taken = lately.reduce((sum, [, count]) => sum + count, 0);
      const count = Math.min(events, Math.max(1, limit));
      if (taken + count > limit) return false;
      const [last] = lately.slice(-1);
      const rest = last?.[0] === now ? lately.slice(0, -1) : lately;
      documents.set(id, [...rest, [now, count + (last?.[0] === now ? last[1] : 0)]], now + 2000);
      return true;
    });
  }
}
