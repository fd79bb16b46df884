import { expect, it } from 'vitest';
import { isUserId } from './user-id.js';

it.each([
  ['7', true],
  [' |"\n', true],
  ['1234', true],
  ['12345', false],
  ['💬💬💬💬', true],
  ['💬💬💬💬5', false],
  ['123💬', true],
  ['1234💬', false],
  ['', false],
  ['a\0', false],
  ['a\ud800', false],
  [7, false],
  [null, false],
])('%j can be an id of at most 4 characters: %s', (text, expected) => {
  expect(isUserId(text, 4)).toBe(expected);
});
