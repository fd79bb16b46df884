import { expect, it } from 'vitest';
import { changesOf, titleOf } from './kinds.js';

it('sends only changes', () =>
  expect(changesOf({ a: 1, b: [1], c: null }, { a: 1, b: [1, 2], c: null, d: true })).toEqual({ b: [1, 2], d: true }));

it.each([
  ['tlsOnly', 'TLS only'],
  ['maxConnections', 'Max connections'],
  ['history', 'History'],
])('names %s %s', (name, title) => expect(titleOf(name)).toBe(title));
