import { beforeEach, expect, it } from 'vitest';
import { RequestRate } from './request-rate.js';

let now = 0;
let rate: RequestRate;
beforeEach(() => {
  now = 1000;
  rate = new RequestRate(() => now);
});

const take = (times: number, instance = 'one'): number[] => Array.from({ length: times }, () => rate.take(instance));

it('lets a hundred requests through at once, then asks to come back in a second', () => {
  expect(take(100)).toEqual(Array(100).fill(0));
  expect(take(2)).toEqual([1, 1]);
});

it('earns a request back every ten milliseconds, and never more than a hundred', () => {
  take(100);
  now += 20;
  expect(take(3)).toEqual([0, 0, 1]);
  now += 3_600_000;
  expect(take(101).filter((seconds) => seconds > 0)).toHaveLength(1);
});

it('counts each instance on its own', () => {
  take(101);
  expect(rate.take('two')).toBe(0);
});

it('does not mind a clock that is set back', () => {
  take(100);
  now -= 5000;
  expect(rate.take('one')).toBe(1);
  now += 10;
  expect(rate.take('one')).toBe(0);
});
