import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { DeviceAddress } from 'rookery/push-device';
import type { PublishOutbox } from '../outbox/publish.outbox.js';
import { platformFault } from './page-outcome.js';
import { RetryQueue } from './retry-queue.js';

beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(1));
afterEach(() => void vi.restoreAllMocks());

const backoff = { firstRetryMs: 1000, longestRetryMs: 8000 };
const now = 100_000;
const deferred = (id: string, reason = 'Busy', retryAfterMs = 0) => ({
  device: { id } as DeviceAddress,
  reason,
  retryAfterMs,
});
const outbox = {
  retries: async () => [
    { deviceId: 'a', attempts: 2, dueAt: now },
    { deviceId: 'b', attempts: 1, dueAt: now },
  ],
  waiting: async () => [
    { partition: 'web', count: 9, dueAt: 1 },
    { partition: 'fcm', count: 3, dueAt: now + 7 },
  ],
} as Partial<PublishOutbox> as PublishOutbox;
const queue = () => new RetryQueue(outbox, 'publish', 'fcm', undefined);
const dueAts = (retries: ReturnType<RetryQueue['again']>) => retries.map(([, { dueAt }]) => dueAt - now);

it('is empty until it reads what waits in its partition', async () => {
  const retries = queue();
  expect([retries.count, retries.dueAt]).toEqual([0, Infinity]);
  await retries.refresh([]);
  expect([retries.count, retries.dueAt]).toEqual([3, now + 7]);
});

it('tries a device later each time, and one that was settled as if it were new', async () => {
  const retries = queue();
  expect(await retries.due(now, 10)).toMatchObject({ due: ['a', 'b'] });
  const again = retries.again([deferred('a'), deferred('b'), deferred('c')], now, backoff);
  expect(again.map(([, { attempts }]) => attempts)).toEqual([3, 2, 1]);
  expect(dueAts(again)).toEqual([4000, 2000, 1000]);
  await retries.refresh(['a']);
  expect(dueAts(retries.again([deferred('a'), deferred('b')], now, backoff))).toEqual([1000, 2000]);
});

it('tries devices that a fault of the platform stopped at the same time, the others as the gateway asks', async () => {
  const retries = queue();
  await retries.due(now, 10);
  const all = [deferred('a', platformFault), deferred('b', 'Busy', 60_000), deferred('c', platformFault)];
  expect(dueAts(retries.again(all, now, backoff))).toEqual([4000, 60_000, 4000]);
});

it('tries a device that was not answered after two minutes', () => {
  expect(queue().late('a', now)).toEqual({ deviceId: 'a', attempts: 1, dueAt: now + 120_000 });
});
