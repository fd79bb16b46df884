import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FailurePauses } from './failure-pauses.js';

const options = { afterFailures: 5, firstMs: 1000, longestMs: 30_000 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function failing(): FailurePauses {
  const pauses = new FailurePauses(options);
  const begins = Array.from({ length: 5 }, () => pauses.ended(pauses.begin()!, false));
  expect(begins).toEqual([false, false, false, false, true]);
  return pauses;
}

it('pauses after five failures in a row, and not after four', () => {
  const pauses = new FailurePauses(options);
  for (const isAnswered of [false, false, false, false, true, false, false, false, false])
    expect(pauses.ended(pauses.begin()!, isAnswered)).toBe(false);
  expect(pauses.begin()).toBe('usual');
  pauses.ended('usual', false);
  expect(pauses.begin()).toBeUndefined();
});

it('tries one request after each pause, which doubles up to half a minute', () => {
  const pauses = failing();
  for (const pauseMs of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
    vi.advanceTimersByTime(pauseMs - 1);
    expect(pauses.begin()).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(pauses.begin()).toBe('trial');
    expect(pauses.begin()).toBeUndefined();
    expect(pauses.ended('trial', false)).toBe(false);
  }
});

it('ends with an answer, also one to an earlier request', () => {
  const pauses = failing();
  pauses.ended('usual', true);
  expect(pauses.begin()).toBe('usual');
  const tried = failing();
  vi.advanceTimersByTime(1000);
  tried.ended(tried.begin()!, true);
  expect(tried.begin()).toBe('usual');
});

it('is not prolonged by requests that were under way when it began', () => {
  const pauses = failing();
  for (let late = 0; late < 60; late++) expect(pauses.ended('usual', false)).toBe(false);
  vi.advanceTimersByTime(1000);
  expect(pauses.begin()).toBe('trial');
});

it('begins at the first failure if so asked, and a request with a fault of its own decides nothing', () => {
  const pauses = new FailurePauses({ afterFailures: 1, firstMs: 250, longestMs: 5000 });
  expect(pauses.ended(pauses.begin()!, undefined)).toBe(false);
  expect(pauses.ended(pauses.begin()!, false)).toBe(true);
  vi.advanceTimersByTime(250);
  pauses.ended(pauses.begin()!, undefined);
  expect(pauses.begin()).toBe('trial');
});
