import { expect, it } from 'vitest';
import { sizeText } from './size-text.js';

it.each([
  [0, '0.0 MB'],
  [12_345_678, '12.3 MB'],
  [999_900_000, '999.9 MB'],
  [1_291_800_000, '1.3 GB'],
  [72_686_400_000, '73 GB'],
])('shows %d bytes as %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
