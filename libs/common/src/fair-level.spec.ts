import { expect, it } from 'vitest';
import { fairLevel } from '#common';

it.each([
  [[10, 20, 90], 100, 70],
  [[90, 10, 90], 100, 45],
  [[50, 50, 50], 90, 30],
  [[500], 100, 100],
  [[10, 20], 100, Infinity],
  [[], 100, Infinity],
])('of %j, each may have so that all have at most %d: %d', (amounts, most, level) => {
  expect(fairLevel(amounts, most)).toBe(level);
});
