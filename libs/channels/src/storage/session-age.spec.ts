import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { newSessionId } from 'rookery/client';
import { oldestAgeMs } from './session-age.js';

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
