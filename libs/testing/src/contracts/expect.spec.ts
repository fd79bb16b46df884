import { AssertionError } from 'node:assert';
import * as fc from 'fast-check';
import { describe, expect as vitests, it } from 'vitest';
import { expect } from './expect.js';

type Matcher =
  | 'toBe'
  | 'toEqual'
  | 'toMatchObject'
  | 'toHaveLength'
  | 'toContain'
  | 'toContainEqual'
  | 'toMatch'
  | 'toBeGreaterThan'
  | 'toBeGreaterThanOrEqual'
  | 'toBeLessThanOrEqual'
  | 'toBeInstanceOf'
  | 'toHaveProperty';

/** The same expectation, put to ours or to Vitest's. */
type Expectations = Readonly<Record<Matcher, (...expected: unknown[]) => void>>;

const holds = (expectation: () => void): boolean => {
  try {
    expectation();
    return true;
  } catch {
    return false;
  }
};

/** What ours and Vitest's say of an expectation and of its opposite. */
function judged(actual: unknown, matcher: Matcher, ...expected: unknown[]) {
  const by = (own: (value: unknown) => unknown) => {
    const expectations = own(actual) as Expectations & { readonly not: Expectations };
    return [holds(() => expectations[matcher](...expected)), holds(() => expectations.not[matcher](...expected))];
  };
  return { ours: by(expect), vitests: by(vitests) };
}

class Point {
  constructor(readonly x: number) {}
}

describe('expect of the contracts', () => {
  it.each<[Matcher, unknown, ...unknown[]]>([
    ['toBe', 1, 1],
    ['toBe', 1, '1'],
    ['toBe', {}, {}],
    ['toBe', 0, -0],
    ['toBe', Number.NaN, Number.NaN],
    ['toEqual', { a: 1, b: undefined }, { a: 1 }],
    ['toEqual', { a: 1 }, { a: 1, b: undefined }],
    ['toEqual', { a: 1 }, { a: 1, b: null }],
    ['toEqual', [1, undefined], [1]],
    ['toEqual', [], {}],
    ['toEqual', {}, []],
    ['toEqual', null, {}],
    ['toEqual', undefined, null],
    ['toEqual', new Point(1), { x: 1 }],
    ['toEqual', 0, -0],
    ['toEqual', new Map([['a', 1]]), new Map([['a', 1]])],
    ['toEqual', new Map([['a', 1]]), new Map([['a', 2]])],
    ['toEqual', new Set([1]), new Set([1, 2])],
    ['toEqual', Buffer.from('ab'), Buffer.from('ab')],
    ['toEqual', Buffer.from('ab'), Buffer.from('ac')],
    ['toEqual', new Date(1), new Date(2)],
    ['toEqual', { a: [{ b: 1n }] }, { a: [{ b: 1n }] }],
    ['toMatchObject', { a: 1, b: { c: 2, d: 3 } }, { b: { c: 2 } }],
    ['toMatchObject', { b: { d: 3 } }, { b: { c: 2 } }],
    ['toMatchObject', { a: 1 }, { b: undefined }],
    ['toMatchObject', { b: undefined }, { b: undefined }],
    ['toMatchObject', [{ a: 1, b: 2 }], [{ a: 1 }]],
    ['toMatchObject', [{ a: 1 }, { a: 1 }], [{ a: 1 }]],
    ['toMatchObject', { a: [1, 2] }, { a: [1] }],
    ['toMatchObject', Object.assign(new Error(), { a: 1 }), { a: 1 }],
    ['toMatchObject', new Error(), { a: 1 }],
    ['toMatchObject', undefined, { a: 1 }],
    ['toHaveLength', [1], 1],
    ['toHaveLength', 'ab', 1],
    ['toContain', 'abc', 'bc'],
    ['toContain', 'abc', 'd'],
    ['toContain', [1, 2], 2],
    ['toContain', [{}], {}],
    ['toContainEqual', [{ a: 1 }], { a: 1 }],
    ['toContainEqual', [{ a: 1 }], { a: 2 }],
    ['toMatch', 'abc', /b/],
    ['toMatch', 'abc', /d/],
    ['toBeGreaterThan', 2, 1],
    ['toBeGreaterThan', 1, 1],
    ['toBeGreaterThanOrEqual', 1, 1],
    ['toBeGreaterThanOrEqual', 0, 1],
    ['toBeLessThanOrEqual', 1, 1],
    ['toBeLessThanOrEqual', 2, 1],
    ['toBeInstanceOf', new Point(1), Point],
    ['toBeInstanceOf', { x: 1 }, Point],
    ['toHaveProperty', { a: 1 }, 'a'],
    ['toHaveProperty', { a: 1 }, 'b'],
    ['toHaveProperty', { a: 1 }, 'a', 2],
    ['toHaveProperty', { a: { b: 1 } }, 'a', { b: 1 }],
  ])('%s of %o and %o is what Vitest says', (matcher, actual, ...expected) => {
    const { ours, vitests: theirs } = judged(actual, matcher, ...expected);
    vitests(ours).toEqual(theirs);
  });

  const value = fc.anything({ maxDepth: 3, maxKeys: 3, withMap: true, withSet: true, withBigInt: true });

  it('agrees with Vitest on equality and matching, for any value', () => {
    const pairs = fc.oneof(
      fc.tuple(value, value),
      value.map((one) => [one, structuredClone(one)]),
    );
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        const { ours, vitests: theirs } = judged(one, 'toEqual', other);
        vitests(ours).toEqual(theirs);
      }),
    );
  });

  it('supports undefined, and patterns in expected values', () => {
    expect(undefined).toBeUndefined();
    expect(1).toBeDefined();
    vitests(() => expect(undefined).toBeDefined()).toThrow(AssertionError);
    vitests(() => expect(null).toBeUndefined()).toThrow(AssertionError);
    expect({ a: 1, b: 'xy' }).toEqual({ a: expect.any(Number), b: expect.stringMatching(/y/) });
    vitests(() => expect({ a: '1' }).toEqual({ a: expect.any(Number) })).toThrow(AssertionError);
    vitests(() => expect({ b: 'x' }).toMatchObject({ b: expect.stringMatching(/y/) })).toThrow(AssertionError);
  });

  it("waits for a promise's rejection", async () => {
    await expect(Promise.reject(new TypeError())).rejects.toBeInstanceOf(TypeError);
    await vitests(expect(Promise.reject(new Error())).rejects.toBeInstanceOf(TypeError)).rejects.toThrow(
      AssertionError,
    );
    await vitests(expect(Promise.resolve(1)).rejects.toBeInstanceOf(TypeError)).rejects.toThrow(AssertionError);
  });

  it('shows both sides of a failed assertion', () => {
    vitests(() => expect({ a: 1 }).toEqual({ a: 2 })).toThrow('expected { a: 1 }\nto equal { a: 2 }');
    vitests(() => expect('abc').not.toContain('b')).toThrow("expected 'abc'\nnot to contain 'b'");
  });
});
