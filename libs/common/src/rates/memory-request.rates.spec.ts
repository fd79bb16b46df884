import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MemoryRequestRates, type RequestLimit } from '#common';

let rates: MemoryRequestRates;
beforeEach(() => {
  vi.useFakeTimers();
  rates = new MemoryRequestRates();
});
afterEach(() => void vi.useRealTimers());

const hundred: RequestLimit = { name: 'one', perSecond: 100, atOnce: 100 };

const take = (times: number, limit = hundred): number[] => Array.from({ length: times }, () => rates.take([limit]));

it('admits a hundred requests at once, then asks to retry in a second', () => {
  expect(take(100)).toEqual(Array(100).fill(0));
  expect(take(2)).toEqual([1, 1]);
});

it('regains a request every ten milliseconds, up to a hundred', () => {
  take(100);
  vi.advanceTimersByTime(20);
  expect(take(3)).toEqual([0, 0, 1]);
  vi.advanceTimersByTime(3_600_000);
  expect(take(101).filter((seconds) => seconds > 0)).toHaveLength(1);
});

it("allows a burst larger than a second's share, if configured", () => {
  const twenty = { name: 'one', perSecond: 2, atOnce: 20 };
  expect(take(22, twenty).filter((seconds) => seconds > 0)).toHaveLength(2);
  vi.advanceTimersByTime(5000);
  expect(take(12, twenty).filter((seconds) => seconds > 0)).toHaveLength(2);
});

it('remembers the latest 10,000 names', () => {
  const named = (name: number) => take(1, { name: String(name), perSecond: 1, atOnce: 1 })[0];
  const first = [named(-1)];
  for (let name = 0; name < 10_000; name += 1) {
    named(name);
    // It is asked for all the time, as an instance is beside many addresses.
    if (name % 100 === 0) first.push(named(-1));
  }
  expect(first).toEqual([0, ...Array.from({ length: 100 }, () => 1)]);
  expect([named(0), named(9999), named(-1)]).toEqual([0, 1, 1]);
});

it('forgets a name once all of its requests are earned back', () => {
  const timers = vi.getTimerCount();
  for (const name of ['one', 'two']) take(1, { ...hundred, name });
  const slow = { name: 'slow', perSecond: 0.01, atOnce: 2 };
  expect(take(3, slow)).toEqual([0, 0, 100]);
  vi.advanceTimersByTime(60_000);
  expect(vi.getTimerCount(), 'one still owes').toBe(timers + 1);
  expect(take(1, slow)).toEqual([40]);
  vi.advanceTimersByTime(240_000);
  expect(vi.getTimerCount(), 'none does').toBe(timers);
});
