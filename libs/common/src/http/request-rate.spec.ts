import { beforeEach, expect, it } from 'vitest';
import { RequestRate } from 'rookery/common';

let now = 0;
let rate: RequestRate;
beforeEach(() => {
  now = 1000;
  rate = new RequestRate(() => now, 100);
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

it('lets more through at once than in a second, where it is told so', () => {
  rate = new RequestRate(() => now, 2, 20);
  expect(take(22).filter((seconds) => seconds > 0)).toHaveLength(2);
  now += 5000;
  expect(take(12).filter((seconds) => seconds > 0)).toHaveLength(2);
});

it('remembers no more than 10,000 names, the latest', () => {
  rate = new RequestRate(() => now, 1);
  for (let name = 0; name <= 10_000; name += 1) rate.take(String(name));
  expect([rate.take('0'), rate.take('10000')]).toEqual([0, 1]);
});
