import { expect, it } from 'vitest';
import { slopeOf } from './slope.js';

it.each([
  ['of values that grow evenly', [1, 3, 5, 7, 9], 2],
  ['of values that fall', [9, 8, 7, 6], -1],
  ['of values that stay', [5, 5, 5, 5], 0],
  ['of noise', [5, 6, 5, 4, 5, 6, 5, 4, 5], 0],
  ['of one outlier', [5, 5, 90, 5, 5, 5], 0],
  ['of growth under noise', [0, 3, 2, 5, 4, 7, 6, 9, 8], 1],
  ['of one value', [5], 0],
])('is the slope %s', (_what, values, slope) => {
  expect(slopeOf(values)).toBe(slope);
});
