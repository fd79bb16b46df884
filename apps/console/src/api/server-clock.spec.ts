import { afterEach, expect, it, vi } from 'vitest';
import { keepServerTime, serverNow } from './server-clock.js';

const noon = Date.UTC(2026, 10, 29, 12);
const told = (at: number): void => keepServerTime(new Date(at).toUTCString(), Date.now());

afterEach(() => {
  told(Date.now());
  vi.useRealTimers();
});

it.each([
  ['three hours ahead', 10_800_000],
  ['three hours behind', -10_800_000],
])('follows a server whose clock is %s', (_, ahead) => {
  vi.useFakeTimers({ now: noon });
  told(noon + ahead);
  expect(Math.abs(serverNow() - (noon + ahead))).toBeLessThan(1000);
});

it('follows the browser exactly while the clocks agree', () => {
  vi.useFakeTimers({ now: noon });
  for (const off of [-1000, 0, 1000]) {
    told(noon + off);
    expect(serverNow()).toBe(noon);
  }
});

it('stays where it is for what an answer cannot tell exactly, and without a time', () => {
  vi.useFakeTimers({ now: noon });
  told(noon + 60_000);
  const first = serverNow();
  told(noon + 61_000);
  keepServerTime(null, Date.now());
  keepServerTime('yesterday', Date.now());
  expect(serverNow()).toBe(first);
});

it('takes the clock back once it was set right', () => {
  vi.useFakeTimers({ now: noon });
  told(noon + 60_000);
  told(noon);
  expect(serverNow()).toBe(noon);
});
