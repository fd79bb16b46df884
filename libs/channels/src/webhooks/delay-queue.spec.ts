import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { setClockBack } from '../../../../test/support/set-back.js';
import { DelayQueue } from './delay-queue.js';

let due: string[];
let queue: DelayQueue<string>;

beforeEach(() => {
  vi.useFakeTimers();
  due = [];
  queue = new DelayQueue(3000, 4, (value) => void due.push(value));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it('releases each value after the delay, in order', () => {
  queue.add('a', 'first');
  vi.advanceTimersByTime(1000);
  queue.add('b', 'second');
  vi.advanceTimersByTime(1999);
  expect(due).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(due).toEqual(['first']);
  vi.advanceTimersByTime(1000);
  expect(due).toEqual(['first', 'second']);
});

it('returns a value that is taken back before it is due', () => {
  queue.add('a', 'first');
  queue.add('b', 'second');
  expect(queue.take('a')).toBe('first');
  expect(queue.take('a')).toBeUndefined();
  vi.advanceTimersByTime(3000);
  expect(due).toEqual(['second']);
});

it('restarts the delay for a key that is added again', () => {
  queue.add('a', 'first');
  queue.take('a');
  vi.advanceTimersByTime(2000);
  queue.add('a', 'again');
  vi.advanceTimersByTime(2999);
  expect(due).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(due).toEqual(['again']);
});

it('uses one timer for any number of values', () => {
  for (const key of ['a', 'b', 'c', 'd']) queue.add(key, key);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(3000);
  expect(vi.getTimerCount()).toBe(0);
});

it('releases the first value early when it is full', () => {
  for (const key of ['a', 'b', 'c', 'd', 'e']) queue.add(key, key);
  expect(due).toEqual(['a']);
});

it('releases the first values early when the names in them take too much memory', () => {
  const small = new DelayQueue<string>(3000, 1000, (value) => void due.push(value), 10_000);
  small.add('a', 'taken');
  small.take('a');
  for (let n = 0; n < 10; n += 1) small.add(`${n}`, `${n}`, 200);
  expect(due).toEqual([]);
  small.add('10'.padEnd(1000, 'x'), '10', 500);
  expect(due).toEqual(['0', '1', '2']);
});

it('releases everything when it is closed, and later values at once', () => {
  queue.add('a', 'first');
  queue.add('b', 'second');
  queue.close();
  expect(due).toEqual(['first', 'second']);
  queue.add('c', 'third');
  expect(due).toEqual(['first', 'second', 'third']);
  expect(vi.getTimerCount()).toBe(0);
});

it('accepts values while it releases others', () => {
  const seen: string[] = [];
  const echo: DelayQueue<string> = new DelayQueue(1000, 10, (value) => {
    seen.push(value);
    if (value === 'first') echo.add('b', 'second');
  });
  echo.add('a', 'first');
  vi.advanceTimersByTime(1000);
  expect(seen).toEqual(['first']);
  vi.advanceTimersByTime(1000);
  expect(seen).toEqual(['first', 'second']);
});

it('releases values in time even if the clock is set back', () => {
  queue.add('a', 'first');
  setClockBack();
  vi.advanceTimersByTime(3000);
  expect(due).toEqual(['first']);
});
