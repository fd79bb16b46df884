import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MemoryIdempotencyKeys } from './memory-idempotency.keys.js';

let keys: MemoryIdempotencyKeys;
beforeEach(() => {
  vi.useFakeTimers();
  keys = new MemoryIdempotencyKeys();
});
afterEach(() => void vi.useRealTimers());

let claims = 0;
const request = (key: string, appId = '1') => ({ appId, key, print: 'a', claimId: String((claims += 1)) });
const stateOf = (key: string) => keys.claim(request(key)).state;

it('keeps 100,000 keys of an app, and drops the oldest first', () => {
  for (let i = 0; i < 100_000; i++) keys.answer(request(String(i)), '{}');
  expect([stateOf('0'), stateOf('99999')]).toEqual(['answered', 'answered']);
  expect(stateOf('one more')).toBe('claimed');
  expect([stateOf('1'), stateOf('0')]).toEqual(['answered', 'claimed']);
});

it('drops no key of another app for those of one', () => {
  keys.answer(request('a', '2'), '{}');
  for (let i = 0; i <= 100_000; i++) keys.claim(request(String(i)));
  expect(keys.claim(request('a', '2')).state).toBe('answered');
});

it('drops the keys of the app whose answers take most, when they take too much', () => {
  keys = new MemoryIdempotencyKeys(100_000);
  keys.answer(request('a', '2'), '{}');
  for (let i = 0; i < 100; i++) keys.answer(request(String(i)), 'x'.repeat(1000));
  expect(keys.claim(request('a', '2')).state).toBe('answered');
  expect([stateOf('99'), stateOf('0')]).toEqual(['answered', 'claimed']);
});

it('gives a key to the next caller a minute after a claim without an answer', () => {
  expect(stateOf('a')).toBe('claimed');
  vi.advanceTimersByTime(59_999);
  expect(stateOf('a')).toBe('under way');
  vi.advanceTimersByTime(1);
  expect(stateOf('a')).toBe('claimed');
});
