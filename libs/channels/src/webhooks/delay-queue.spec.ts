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

it('lets each value fall due after the delay, in order', () => {
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

it('gives a value back before it falls due', () => {
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

it('has one timer, however many wait', () => {
  for (const key of ['a', 'b', 'c', 'd']) queue.add(key, key);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(3000);
  expect(vi.getTimerCount()).toBe(0);
});

it('makes the first fall due early when it is full', () => {
  for (const key of ['a', 'b', 'c', 'd', 'e']) queue.add(key, key);
  expect(due).toEqual(['a']);
});

it('makes everything fall due when it is closed, and later values at once', () => {
  queue.add('a', 'first');
  queue.add('b', 'second');
  queue.close();
  expect(due).toEqual(['first', 'second']);
  queue.add('c', 'third');
  expect(due).toEqual(['first', 'second', 'third']);
  expect(vi.getTimerCount()).toBe(0);
});

it('accepts values while others fall due', () => {
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

it('lets values fall due at their time though the clock is set back meanwhile', () => {
  queue.add('a', 'first');
  setClockBack();
  vi.advanceTimersByTime(3000);
  expect(due).toEqual(['first']);
});
