import { expect, it } from 'vitest';
import { retryDelay } from './retry-delay.js';

const backoff = { firstRetryMs: 1000, longestRetryMs: 900_000 };

it.each([
  [1, 500, 1000],
  [2, 1000, 2000],
  [5, 8000, 16_000],
  [11, 450_000, 900_000],
  [1000, 450_000, 900_000],
])('waits after try %i between %i and %i ms', (attempts, least, most) => {
  for (let sample = 0; sample < 50; sample += 1) {
    const delay = retryDelay(attempts, backoff);
    expect(delay).toBeGreaterThanOrEqual(least);
    expect(delay).toBeLessThanOrEqual(most);
  }
});

it('waits as long as the gateway asks for, and at least its own delay', () => {
  expect(retryDelay(1, backoff, 3_600_000)).toBe(3_600_000);
  expect(retryDelay(5, backoff, 1)).toBeGreaterThanOrEqual(8000);
});
