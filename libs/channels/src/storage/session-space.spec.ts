import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { newSessionId } from '@rookery/client';
import { SessionSpace } from './session-space.js';

let space: SessionSpace;
const warn = vi.fn();
beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-26T12:00:00Z') });
  warn.mockClear();
  space = new SessionSpace({ warn } as unknown as Logger);
});
afterEach(() => void vi.useRealTimers());

const session = (appId: string, id = 'without a time') => ({ appId, key: 'key', id });

it('adds up the bytes of all apps, and knows which app has the most', () => {
  space.add('small', 5);
  space.add('large', 7);
  space.add('other', 6);
  expect([space.total, space.fullest]).toEqual([18, 'large']);
  space.add('large', -7);
  expect([space.total, space.fullest]).toEqual([11, 'other']);
  space.clear();
  expect([space.total, space.fullest]).toEqual([0, undefined]);
});

it('says that an app may have lost a session for as long as that would have been kept', () => {
  space.forgotten('full', 60);
  vi.advanceTimersByTime(59_999);
  expect(space.mayHaveLost(session('full'), 60)).toBe(true);
  expect(space.mayHaveLost(session('other'), 60)).toBe(false);
  vi.advanceTimersByTime(1);
  expect(space.mayHaveLost(session('full'), 60)).toBe(false);
});

it('has lost no session that began after the latest was forgotten', () => {
  const before = newSessionId();
  vi.advanceTimersByTime(1000);
  space.forgotten('full', 60);
  vi.advanceTimersByTime(500);
  const after = newSessionId();
  expect([before, after].map((id) => space.mayHaveLost(session('full', id), 60))).toEqual([true, false]);
});

it('keeps in mind which other apps lost sessions, until they would have been forgotten anyway', () => {
  space.forgotten('one', 60);
  vi.advanceTimersByTime(30_000);
  space.forgotten('two', 60);
  expect(space.mayHaveLost(session('one'), 60)).toBe(true);
});

it('logs at most once a minute that there is no room, with the app', () => {
  for (const seconds of [0, 59.999, 0.001]) {
    vi.advanceTimersByTime(seconds * 1000);
    space.forgotten('full', 60);
  }
  expect(warn).toHaveBeenCalledTimes(2);
  expect(warn.mock.lastCall?.[0]).toContain('the oldest of app full');
});
