import { expect, it } from 'vitest';
import { tryTimes } from './try-times.js';

it.each([
  [300_000, [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 35_000]],
  [17_000, [1000, 2000, 4000]],
  [10_500, [500]],
  [10_000, []],
  [0, []],
])('fills %i ms, but for the last try, with waits of %j', (retryMs, delays) => {
  expect(tryTimes({ retryMs, timeoutMs: 10_000 }, 0).retryDelaysMs).toEqual(delays);
});

it('lets a webhook live for one try at least', () => {
  expect(tryTimes({ retryMs: 0, timeoutMs: 10_000 }, 5000)).toEqual({
    timeoutMs: 10_000,
    retryDelaysMs: [],
    expiresAt: 15_000,
  });
});
