import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { PageOutcome } from './page-outcome.js';
import { PartitionPause } from './partition-pause.js';

beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(1));
afterEach(() => void vi.restoreAllMocks());

const backoff = { firstRetryMs: 1000, longestRetryMs: 8000 };

/** A page of ten devices, so many of which the gateway defers. @returns the wait after it */
function waitAfter(pause: PartitionPause, deferred: number, timesBefore = pause.times): number {
  const later = Array.from({ length: deferred }, () => ({})) as unknown as PageOutcome['later'];
  pause.after({ later }, { tried: 10, timesBefore }, 0, Infinity);
  const { until } = pause;
  pause.until = 0;
  return until;
}

it('waits longer after each page that is mostly deferred, and begins again once a page is not', () => {
  const pause = new PartitionPause(backoff);
  for (let round = 0; round < 3; round++) {
    expect([6, 10, 7, 10, 10].map((deferred) => waitAfter(pause, deferred))).toEqual([1000, 2000, 4000, 8000, 8000]);
    expect(waitAfter(pause, 5)).toBe(0);
  }
});

it('counts pages that were sent at the same time once', () => {
  const pause = new PartitionPause(backoff);
  expect([10, 10, 10].map((deferred) => waitAfter(pause, deferred, 0))).toEqual([1000, 0, 0]);
  expect(waitAfter(pause, 10)).toBe(2000);
});

it.each([
  [[5000, 6000], 5000],
  [[5000, undefined], 1000],
  [[500, 500], 1000],
  [[9000, 9000], 7000],
])('waits as long as the gateway asks for on behalf of all devices: %j', (wishes, waited) => {
  const pause = new PartitionPause(backoff);
  const later = wishes.map((retryAfterMs) => ({ retryAfterMs })) as unknown as PageOutcome['later'];
  pause.after({ later }, { tried: 2, timesBefore: 0 }, 50, 7000);
  expect(pause.until).toBe(50 + waited);
});
