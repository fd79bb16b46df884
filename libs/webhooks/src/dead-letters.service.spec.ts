import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type FreshJob, MemoryJobStore } from 'rookery/jobs';
import { DeadLettersService } from './dead-letters.service.js';
import { jobOf, webhookDelivery } from './webhook-delivery.js';

const letters = 250;

/** Each webhook that is sent again dies again at once. */
class DeadlyStore extends MemoryJobStore {
  resent = 0;

  async killAll(): Promise<void> {
    const claim = { id: `claim ${this.resent}`, now: Date.now(), limit: 1000, perKey: 1000, busy: new Set<string>() };
    const limits = { most: 1000, maxBytes: Infinity, keepMs: 60_000 };
    for (const job of await this.claim({ ...claim, leaseMs: 1000 }))
      await this.bury(job, { diedAt: Date.now(), reason: 'x' }, limits);
  }
  override async resend(owner: string, ids: readonly string[], fresh: FreshJob) {
    const resent = await super.resend(owner, ids, fresh);
    this.resent += resent;
    if (this.resent > 2 * letters) throw new Error('It resends without end');
    vi.advanceTimersByTime(1);
    await this.killAll();
    return resent;
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('resends each dead letter once, though all of them die again meanwhile', async () => {
  const store = new DeadlyStore();
  const request = { owner: 'app', url: 'https://down/', headers: {}, body: '{}' };
  await store.add(Array.from({ length: letters }, () => jobOf(webhookDelivery(request, Date.now()))));
  await store.killAll();
  const tries = (now: number) => ({ dueAt: now, retryDelaysMs: [], expiresAt: now + 60_000 });
  const service = new DeadLettersService(store, { wake() {} }, tries);
  expect(await service.resendAll('app')).toBe(letters);
  expect(store.resent).toBe(letters);
  expect(await service.counts('app')).toEqual({ kept: letters, dropped: 0 });
});
