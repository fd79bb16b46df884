import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { QuietCount } from './quiet-count.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('answers the first at once, and those of the next ten seconds together', () => {
  const count = new QuietCount();
  expect(count.add()).toBe(1);
  expect([count.add(), count.add(2), count.due()]).toEqual([0, 0, 0]);
  vi.advanceTimersByTime(9999);
  expect(count.due()).toBe(0);
  vi.advanceTimersByTime(1);
  expect(count.add()).toBe(4);
});

it('answers what is held back when it is asked, and begins ten quiet seconds with it', () => {
  const count = new QuietCount();
  expect([count.add(3), count.add()]).toEqual([3, 0]);
  vi.advanceTimersByTime(10_000);
  expect([count.due(), count.due(), count.add()]).toEqual([1, 0, 0]);
});

it('stays quiet for as long as it is told', () => {
  const count = new QuietCount(60_000);
  expect(count.add()).toBe(1);
  vi.advanceTimersByTime(59_999);
  expect(count.add()).toBe(0);
  vi.advanceTimersByTime(1);
  expect(count.add()).toBe(2);
});
