import { isDeepStrictEqual } from 'node:util';
import { isObject } from 'rookery/common';

/** Replaces an expected value, for every value that passes its test. */
export class Pattern {
  constructor(readonly fits: (value: unknown) => boolean) {}
}

type Compare = (actual: unknown, expected: unknown) => boolean;

/** Whether two values are deeply equal. Undefined equals absent, and classes do not matter. */
export const isEqual: Compare = (actual, expected) => {
  if (expected instanceof Pattern) return expected.fits(actual);
  if (Array.isArray(actual) && Array.isArray(expected)) return areAll(actual, expected, isEqual);
  if (!isRecord(actual) || !isRecord(expected)) return isDeepStrictEqual(actual, expected);
  const keys = new Set([...Object.keys(actual), ...Object.keys(expected)]);
  return [...keys].every((key) => isEqual(actual[key], expected[key]));
};

/** Whether a value contains everything expected; its objects may have more. */
export const isMatch: Compare = (actual, expected) => {
  if (Array.isArray(actual) && Array.isArray(expected)) return areAll(actual, expected, isMatch);
  if (!isObject(actual) || !isRecord(expected)) return isEqual(actual, expected);
  return Object.keys(expected).every((key) => key in actual && isMatch(actual[key], expected[key]));
};

const areAll = (actual: readonly unknown[], expected: readonly unknown[], compare: Compare): boolean =>
  actual.length === expected.length && actual.every((each, index) => compare(each, expected[index]));

/** An object that consists of its fields, unlike a Map or a Buffer. */
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && !(value instanceof Pattern) && Object.prototype.toString.call(value) === '[object Object]';
