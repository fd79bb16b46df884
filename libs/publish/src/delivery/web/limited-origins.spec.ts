import { expect, it } from 'vitest';
import { LimitedOrigins } from './limited-origins.js';

const chrome = 'https://fcm.googleapis.com of our site';
const refuse = (origins: LimitedOrigins, times: number, now = 0, retryAfterMs?: number): void => {
  for (let n = 0; n < times; n += 1) origins.refused(chrome, now, retryAfterMs);
};

it('sends on after a refusal, which may concern one subscription', () => {
  const origins = new LimitedOrigins();
  refuse(origins, 4);
  expect(origins.waitMs(chrome, 1)).toBe(0);
});

it('waits for a minute after five refusals in a row, or for as long as the push service asks', () => {
  const origins = new LimitedOrigins();
  refuse(origins, 5);
  expect(origins.waitMs(chrome, 1000)).toBe(59_000);
  refuse(origins, 1, 60_000, 5000);
  expect(origins.waitMs(chrome, 61_000)).toBe(4000);
  refuse(origins, 1, 65_000, 86_400_000);
  expect(origins.waitMs(chrome, 65_000)).toBe(900_000);
});

it('counts anew after an accepted message', () => {
  const origins = new LimitedOrigins();
  refuse(origins, 4);
  origins.accepted(chrome);
  refuse(origins, 4);
  expect(origins.waitMs(chrome, 1)).toBe(0);
});

it('delays no other origin or site', () => {
  const origins = new LimitedOrigins();
  refuse(origins, 5);
  expect(origins.waitMs('https://fcm.googleapis.com of another site', 1)).toBe(0);
});

it('remembers a bounded number of origins', () => {
  const origins = new LimitedOrigins();
  refuse(origins, 5);
  for (let n = 0; n < 10_000; n += 1) origins.refused(`https://${n}.example`, 0);
  expect(origins.waitMs(chrome, 1)).toBe(0);
});
