import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newSessionId } from '@rookery/client';
import type { SessionName } from '../access/saved-session.js';
import { mayPredate, oldestAgeMs } from './session-age.js';

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-11-26T12:00:00Z') }));
afterEach(() => void vi.useRealTimers());

const age = (id: string): number => oldestAgeMs({ appId: 'app', key: 'key', id }, 86_400);

it('is the time since the id of a session was made', () => {
  const id = newSessionId();
  expect(age(id)).toBe(0);
  vi.advanceTimersByTime(90_000);
  expect(age(id)).toBe(90_000);
  expect(age(id.toUpperCase())).toBe(90_000);
  vi.advanceTimersByTime(90_000_000);
  expect(age(id)).toBe(86_400_000);
});

it('is as long as sessions are kept where the id does not carry a time', () => {
  for (const id of [crypto.randomUUID(), 'a-name-of-sixteen', newSessionId().replaceAll('-', ''), `${newSessionId()}0`])
    expect(age(id)).toBe(86_400_000);
});

it('believes a clock that is a little ahead, and none that is far ahead', () => {
  const [now, later] = [newSessionId(), (vi.advanceTimersByTime(70_000), newSessionId())];
  vi.setSystemTime(new Date('2026-11-26T12:00:20Z'));
  expect([age(now), age(later)]).toEqual([20_000, 0]);
  vi.setSystemTime(new Date('2026-11-26T12:00:05Z'));
  expect(age(later)).toBe(86_400_000);
});

describe('a store that may lack a session', () => {
  const session = (ageMs: number) => (): SessionName => {
    const at = (Date.now() - ageMs).toString(16).padStart(12, '0');
    return { appId: 'app', key: 'key', id: `${at.slice(0, 8)}-${at.slice(8)}-7000-8000-000000000000` };
  };
  const named = (): SessionName => ({ appId: 'app', key: 'key', id: crypto.randomUUID() });

  it.each<[string, () => SessionName, number, boolean, boolean]>([
    // What, whether a replacement may lack it, and any other store.
    ['as old as the store', session(5000), 5000, false, false],
    ['older by less than a clock may be off', session(65_000), 5000, true, false],
    ['older by more', session(65_001), 5000, true, true],
    ['from the future, within what a clock may be off', session(-60_000), 0, false, false],
    ['from a future further off', session(-60_001), 5000, true, false],
    ['without a time', named, 5000, true, true],
    ['without a time, in a store older than sessions are kept', named, 600_000, false, false],
    ['older than sessions are kept, in such a store', session(900_000), 600_000, false, false],
  ])('%s', (_, of, ms, ifReplacement, otherwise) => {
    const judge = (isReplacement: boolean) => mayPredate(of(), { ms, isReplacement }, 600);
    expect([judge(true), judge(false)]).toEqual([ifReplacement, otherwise]);
  });
});
