import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Remembered } from './remembered.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const lookUps = (...answers: (string | undefined)[]) => vi.fn(async () => answers.shift());

it('looks up once per interval', async () => {
  const [names, lookUp] = [new Remembered<string>(1000), lookUps('first', 'second')];
  expect([await names.get('a', lookUp), await names.get('a', lookUp)]).toEqual(['first', 'first']);
  vi.advanceTimersByTime(1001);
  expect(await names.get('a', lookUp)).toBe('second');
  expect(lookUp).toHaveBeenCalledTimes(2);
});

it('looks up again missing and forgotten keys', async () => {
  const [names, lookUp] = [new Remembered<string>(), lookUps(undefined, 'there', 'changed')];
  expect([await names.get('a', lookUp), await names.get('a', lookUp)]).toEqual([undefined, 'there']);
  names.forget();
  expect(await names.get('a', lookUp)).toBe('changed');
});

it('distinguishes any keys', async () => {
  const names = new Remembered<string>();
  expect(await names.get('__proto__', lookUps('odd'))).toBe('odd');
  expect(await names.get('constructor', lookUps(undefined))).toBeUndefined();
});
