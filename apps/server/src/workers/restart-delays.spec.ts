import { expect, it } from 'vitest';
import { RestartDelays } from './restart-delays.js';

it('restarts at once, and with growing delays workers that keep dying soon after their start', () => {
  const delays = new RestartDelays();
  expect([1, 2, 3, 4].map(() => delays.next(50))).toEqual([0, 100, 200, 400]);
  for (let n = 0; n < 20; n++) delays.next(0);
  expect(delays.next(0)).toBe(30_000);
  expect(delays.next(3_600_000)).toBe(0);
});
