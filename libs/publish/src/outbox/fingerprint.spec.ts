import { expect, it } from 'vitest';
import { fingerprint } from './fingerprint.js';

const print = (body: unknown): string => fingerprint('interests', body);

it('ignores the order of keys, at any depth', () => {
  expect(print({ a: 1, b: { c: [{ d: 1, e: 2 }], f: 3 } })).toBe(print({ b: { f: 3, c: [{ e: 2, d: 1 }] }, a: 1 }));
});

it.each([
  ['a value', { a: 1 }, { a: 2 }],
  ['a type', { a: 1 }, { a: '1' }],
  ['the order of a list', { a: [1, 2] }, { a: [2, 1] }],
  ['a key', { a: 1 }, { b: 1 }],
])('distinguishes %s', (_name, one, other) => {
  expect(print(one)).not.toBe(print(other));
});

it('distinguishes the kinds of publish', () => {
  expect(fingerprint('interests', {})).not.toBe(fingerprint('users', {}));
});
