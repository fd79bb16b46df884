import { describe, expect, it } from 'vitest';
import { amount, bytes, counted, percent } from './amounts.js';
import { ago, duration } from './time.js';

describe('formatted amounts', () => {
  it.each([
    [0, '0'],
    [9999, '9,999'],
    [12_400, '12.4K'],
    [0.25, '0.3'],
    [3_000_000, '3M'],
  ])('%d is %s', (value, shown) => expect(amount(value)).toBe(shown));

  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1536, '1.5 KB'],
    [64 * 1024 * 1024, '64 MB'],
    [1.5 * 1024 ** 3, '1.5 GB'],
  ])('%d bytes are %s', (value, shown) => expect(bytes(value)).toBe(shown));

  it.each([
    [0, '0 s'],
    [59_400, '59 s'],
    [60_000, '1 min'],
    [7_200_000, '2 h'],
    [200_000_000, '2 d'],
    [-5, '0 s'],
  ])('%d milliseconds last %s', (ms, shown) => expect(duration(ms)).toBe(shown));

  it('counts one and many', () => {
    expect([counted(1, 'channel'), counted(2, 'channel'), counted(0, 'process', 'processes')]).toEqual([
      '1 channel',
      '2 channels',
      '0 processes',
    ]);
    expect([percent(0.126), ago(1000, 4000)]).toEqual(['13%', '3 s ago']);
  });
});
