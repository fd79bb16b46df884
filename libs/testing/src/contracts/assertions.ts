import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { isObject } from 'rookery/internal/common';

/** Stands for any number in an expected value. */
export const anyNumber = Symbol('any number') as unknown as number;

/**
 * Asserts deep equality. Undefined, null and absent are equal, and classes do not matter: storages return rows of their
 * own.
 */
export function same(actual: unknown, expected: unknown): void {
  assert.deepEqual(compared(actual, expected), plain(expected));
}

/** Asserts that everything expected is there; objects may have more. */
export function matches(actual: unknown, expected: object): void {
  assert.deepEqual(compared(actual, expected, true), plain(expected));
}

/** Asserts that one of the elements {@link matches}. */
export function contains(actual: Iterable<unknown>, expected: unknown): void {
  const elements = Array.from(actual, (each) => compared(each, expected, true));
  const isThere = elements.some((each) => isDeepStrictEqual(each, plain(expected)));
  // Otherwise it shows both.
  if (!isThere) assert.deepEqual(elements, [plain(expected)]);
}

const plain = (expected: unknown): unknown => compared(expected, expected);

/** The part of an actual value that an expected one is compared with. @param isPart of objects, only the expected fields */
function compared(actual: unknown, expected: unknown, isPart = false): unknown {
  if (expected === anyNumber && typeof actual === 'number') return anyNumber;
  if (expected === undefined && actual === null) return undefined;
  if (Array.isArray(actual) && Array.isArray(expected))
    return actual.map((each, index) => compared(each, expected[index], isPart));
  if (!isRecord(expected) || !(isPart ? isObject(actual) : isRecord(actual))) return actual;
  const fields = actual as Readonly<Record<string, unknown>>;
  const names = isPart ? Object.keys(expected) : [...new Set([...Object.keys(fields), ...Object.keys(expected)])];
  const values = names.map((name) => [name, compared(fields[name], expected[name], isPart)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** An object that consists of its fields, unlike a Map or a Buffer. */
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && Object.prototype.toString.call(value) === '[object Object]';
