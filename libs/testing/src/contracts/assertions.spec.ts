import { AssertionError } from 'node:assert';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyNumber, contains, matches, same } from './assertions.js';

const holds = (assertion: () => unknown): boolean => {
  try {
    assertion();
    return true;
  } catch {
    return false;
  }
};

class Point {
  constructor(readonly x: number) {}
}

describe('same', () => {
  it.each<[unknown, unknown]>([
    [{ a: 1, b: undefined }, { a: 1 }],
    [{ a: 1 }, { a: 1, b: undefined }],
    [{ a: 1 }, { a: 1, b: null }],
    [[1, undefined], [1]],
    [[], {}],
    [{}, []],
    [null, {}],
    [undefined, null],
    [1, '1'],
    [new Point(1), { x: 1 }],
    [0, -0],
    [Number.NaN, Number.NaN],
    [new Map([['a', 1]]), new Map([['a', 1]])],
    [new Map([['a', 1]]), new Map([['a', 2]])],
    [new Set([1]), new Set([1, 2])],
    [Buffer.from('ab'), Buffer.from('ab')],
    [Buffer.from('ab'), Buffer.from('ac')],
    [new Date(1), new Date(2)],
    [{ a: [{ b: 1n }] }, { a: [{ b: 1n }] }],
  ])('of %o and %o is what Vitest says', (actual, expected) => {
    expect(holds(() => same(actual, expected))).toBe(holds(() => expect(actual).toEqual(expected)));
  });

  const value = fc.anything({ maxDepth: 3, maxKeys: 3, withMap: true, withSet: true, withBigInt: true });

  it('agrees with Vitest for any value', () => {
    const pairs = fc.oneof(
      fc.tuple(value, value),
      value.map((one) => [one, structuredClone(one)]),
    );
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        expect(holds(() => same(one, other))).toBe(holds(() => expect(one).toEqual(other)));
      }),
    );
  });
});

describe('matches', () => {
  it.each<[unknown, object]>([
    [{ a: 1, b: { c: 2, d: 3 } }, { b: { c: 2 } }],
    [{ b: { d: 3 } }, { b: { c: 2 } }],
    [{ b: undefined }, { b: undefined }],
    [{ b: 1 }, { b: undefined }],
    [[{ a: 1, b: 2 }], [{ a: 1 }]],
    [[{ a: 1 }, { a: 1 }], [{ a: 1 }]],
    [{ a: [1, 2] }, { a: [1] }],
    [Object.assign(new Error(), { a: 1 }), { a: 1 }],
    [new Error(), { a: 1 }],
    [undefined, { a: 1 }],
  ])('of %o and %o is what Vitest says', (actual, expected) => {
    const vitests = holds(() => expect(actual).toMatchObject(expected as Record<string, unknown>));
    expect(holds(() => matches(actual, expected))).toBe(vitests);
  });
});

it('contains an element that is the same', () => {
  expect(holds(() => contains([{ a: 1 }, { a: 2 }], { a: 2, b: undefined }))).toBe(true);
  expect(() => contains([{ a: 1 }], { a: 2 })).toThrow(AssertionError);
  expect(() => contains([], { a: 2 })).toThrow(AssertionError);
});

it('accepts any number in place of anyNumber, and nothing else', () => {
  expect(holds(() => same({ a: [7] }, { a: [anyNumber] }))).toBe(true);
  for (const other of ['7', 7n, undefined, null]) expect(() => same({ a: [other] }, { a: [anyNumber] })).toThrow();
  expect(() => same({}, { a: anyNumber })).toThrow(AssertionError);
});

it('shows both sides', () => {
  expect(() => same({ a: 1 }, { a: 2 })).toThrow(/a: 1\n.*a: 2/s);
});
