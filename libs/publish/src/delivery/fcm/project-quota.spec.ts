import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MemoryRequestRates } from '#common';
import { SendLater } from '../push.gateway.js';
import { ProjectQuota } from './project-quota.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Processes that send as fast as they may: the messages sent by all of them, after so many seconds. */
async function sent(quotas: readonly ProjectQuota[], seconds: number): Promise<number> {
  let count = 0;
  const until = performance.now() + seconds * 1000;
  const sender = async (quota: ProjectQuota): Promise<void> => {
    for (;;) {
      await quota.take();
      if (performance.now() > until) return;
      count += 1;
    }
  };
  const senders = quotas.map((quota) => sender(quota));
  await vi.advanceTimersByTimeAsync(seconds * 1000 + 10_000);
  await Promise.all(senders);
  return count;
}

it('spreads a minute’s messages over the minute, for all processes together', async () => {
  const rates = new MemoryRequestRates();
  const quotas = [1, 2, 3].map(() => new ProjectQuota('shop', 60_000, rates));
  const count = await sent(quotas, 60);
  expect(count).toBeGreaterThan(58_000);
  // A burst of one second comes before.
  expect(count).toBeLessThanOrEqual(61_000);
});

it('counts each project for itself', async () => {
  const rates = new MemoryRequestRates();
  const counts = await Promise.all(['one', 'other'].map((name) => sent([new ProjectQuota(name, 6000, rates)], 30)));
  for (const count of counts) expect(count).toBeGreaterThan(2900);
});

it('serves a quota of one message a second', async () => {
  expect(await sent([new ProjectQuota('slow', 60, new MemoryRequestRates())], 60)).toBeGreaterThan(40);
});

it('gives a message back that would wait for too long', async () => {
  const rates = new MemoryRequestRates();
  vi.spyOn(rates, 'take').mockReturnValue(1);
  const failed = Promise.resolve(new ProjectQuota('used up', 6000, rates).take()).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(11_000);
  expect(await failed).toBeInstanceOf(SendLater);
});

it('sends on when nothing can be counted', async () => {
  const rates = new MemoryRequestRates();
  vi.spyOn(rates, 'take').mockImplementation(() => {
    throw new Error('away');
  });
  const quota = new ProjectQuota('shop', 600, rates);
  for (let n = 0; n < 1000; n += 1) await quota.take();
  expect(rates.take).toHaveBeenCalled();
});
