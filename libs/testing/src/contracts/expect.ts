import { AssertionError } from 'node:assert';
import { inspect } from 'node:util';
import { isEqual, isMatch, Pattern } from './deep-equality.js';

/**
 * The assertions of the suites, in the words of Jest and Vitest, but independent of both: they also run on node:test.
 */
export function expect(actual: unknown): Expectation {
  return new Expectation(actual);
}

/** Matches any value of a type. */
expect.any = (type: NumberConstructor): never => new Pattern((value) => typeof value === typeof type()) as never;

/** Matches any text that the expression matches. */
expect.stringMatching = (like: RegExp): never =>
  new Pattern((value) => typeof value === 'string' && like.test(value)) as never;

class Expectation {
  constructor(
    private readonly actual: unknown,
    private readonly isNegated = false,
  ) {}

  get not(): Expectation {
    return new Expectation(this.actual, !this.isNegated);
  }

  /** On a promise: the reason of its rejection. */
  get rejects() {
    return {
      toBeInstanceOf: async (type: new (...args: never[]) => unknown): Promise<void> => {
        const outcome = await (this.actual as Promise<unknown>).then(
          () => new Expectation('a promise that was kept'),
          (error: unknown) => new Expectation(error),
        );
        outcome.toBeInstanceOf(type);
      },
    };
  }

  toBe(expected: unknown): void {
    this.check(Object.is(this.actual, expected), 'to be', expected);
  }

  toEqual(expected: unknown): void {
    this.check(isEqual(this.actual, expected), 'to equal', expected);
  }

  toMatchObject(expected: object): void {
    this.check(isMatch(this.actual, expected), 'to match', expected);
  }

  toBeUndefined(): void {
    this.toBe(undefined);
  }

  /** `undefined`, or `null` as databases return. */
  toBeNothing(): void {
    this.check(this.actual === undefined || this.actual === null, 'to be nothing', undefined);
  }

  toBeDefined(): void {
    this.not.toBe(undefined);
  }

  toBeInstanceOf(type: new (...args: never[]) => unknown): void {
    this.check(this.actual instanceof type, 'to be an instance of', type);
  }

  toHaveLength(expected: number): void {
    this.check((this.actual as ArrayLike<unknown> | undefined)?.length === expected, 'to have the length', expected);
  }

  /** With one of these values, if any are given. */
  toHaveProperty(name: string, ...values: readonly unknown[]): void {
    const given = this.actual as Readonly<Record<string, unknown>>;
    const fits = values.length === 0 || values.some((value) => isEqual(given[name], value));
    this.check(Object.hasOwn(given, name) && fits, 'to have the property', [name, ...values]);
  }

  /** On a text: contains that part; on a list: contains that element. */
  toContain(expected: unknown): void {
    const { actual } = this;
    const isIn = typeof actual === 'string' ? actual.includes(String(expected)) : this.elements().includes(expected);
    this.check(isIn, 'to contain', expected);
  }

  toContainEqual(expected: unknown): void {
    const isIn = this.elements().some((each) => isEqual(each, expected));
    this.check(isIn, 'to contain the like of', expected);
  }

  toMatch(expected: RegExp): void {
    this.check(expected.test(String(this.actual)), 'to match', expected);
  }

  toBeGreaterThan(expected: number | string): void {
    this.check((this.actual as typeof expected) > expected, 'to be greater than', expected);
  }

  toBeGreaterThanOrEqual(expected: number): void {
    this.check((this.actual as number) >= expected, 'to be at least', expected);
  }

  toBeLessThanOrEqual(expected: number): void {
    this.check((this.actual as number) <= expected, 'to be at most', expected);
  }

  private elements(): readonly unknown[] {
    return Array.from(this.actual as Iterable<unknown>);
  }

  private check(holds: boolean, words: string, expected: unknown): void {
    if (holds !== this.isNegated) return;
    const { actual } = this;
    const message = `expected ${shown(actual)}\n${this.isNegated ? 'not ' : ''}${words} ${shown(expected)}`;
    throw new AssertionError({ message, actual, expected });
  }
}

const shown = (value: unknown): string => inspect(value, { depth: 6 });
