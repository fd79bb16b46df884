import { expect, it } from 'vitest';
import { isSocketId, newSocketId } from './socket-id.js';

it.each([
  ['264774.13368624', true],
  [`${'1'.repeat(62)}.2`, true],
  [`${'1'.repeat(63)}.2`, false],
  ['1.2.3', false],
  ['a1.2', false],
  ['1.2\n', false],
  ['1.', false],
  ['.2', false],
  ['12', false],
  [1.2, false],
  [undefined, false],
])('%j is a socket id: %s', (text, expected) => {
  expect(isSocketId(text)).toBe(expected);
});

it('every new one is another', () => {
  const ids = Array.from({ length: 2000 }, newSocketId);
  expect(ids.filter((id) => !isSocketId(id))).toEqual([]);
  expect(new Set(ids.flatMap((id) => id.split('.'))).size).toBe(4000);
});
