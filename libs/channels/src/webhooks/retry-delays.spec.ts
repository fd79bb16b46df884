import { expect, it } from 'vitest';
import { retryDelays } from './retry-delays.js';

it.each([
  [290_000, [1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 35_000]],
  [7000, [1000, 2000, 4000]],
  [500, [500]],
  [0, []],
  [-10_000, []],
])('fills %i ms with waits of %j', (windowMs, delays) => {
  expect(retryDelays(windowMs)).toEqual(delays);
});
