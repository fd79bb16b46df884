import { assert, nat, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shownRows } from './shown-rows.js';

describe('the rendered rows', () => {
  it.each([
    [0, 360, 100_000, { first: 0, last: 16 }],
    [36 * 500, 360, 100_000, { first: 494, last: 516 }],
    [0, 360, 3, { first: 0, last: 3 }],
    [0, 360, 0, { first: 0, last: 0 }],
    [36 * 500, 360, 10, { first: 9, last: 10 }],
  ])('scrolled to %d with %d of height and %d rows', (top, height, count, shown) =>
    expect(shownRows(top, height, 36, count)).toEqual(shown),
  );

  it('are always within the list, and few', () => {
    assert(
      property(nat(10_000_000), nat(5000), nat(200_000), (top, height, count) => {
        const { first, last } = shownRows(top, height, 36, count);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(last).toBeLessThanOrEqual(count);
        expect(last - first).toBeGreaterThanOrEqual(count === 0 ? 0 : 1);
        expect(last - first).toBeLessThanOrEqual(Math.ceil(height / 36) + 14);
      }),
    );
  });
});
