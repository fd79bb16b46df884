import type { Type } from '@nestjs/common';
import type { ValidationOptions } from 'class-validator';
import { built, type Violation, violationIn, isObject } from '#common';
import { ApiError } from './api-error.js';

/** The options of a rule whose violation the push APIs answer with a specific error. */
export const refusedWith = (refusal: () => ApiError, options: ValidationOptions = {}): ValidationOptions => ({
  ...options,
  context: { refusal },
});

/**
 * Checks a body against the rules of a class; unknown fields are reported last. Returns the body unchanged.
 *
 * @throws ApiError the one of the rule's {@link refusedWith}, otherwise 422 with gojsonschema's text (beams-wire §3.1)
 */
export function checkedBody<T extends object>(of: Type<T>, body: unknown): T {
  const violation = violationOf(of, body);
  if (violation) throw refusalOf(violation);
  return body as T; // It satisfies all rules of the class.
}

function violationOf(of: Type<object>, body: unknown): Violation | undefined {
  if (!isObject(body)) return { path: ['(root)'], rule: 'isObject', args: [], value: body };
  const { value, strangers } = built(of, body);
  return violationIn(value) ?? strangers[0];
}

function refusalOf({ context, path, rule, args, value }: Violation): ApiError {
  const refusal = context?.['refusal'] as (() => ApiError) | undefined; // See refusedWith.
  if (refusal) return refusal();
  const text = words[rule]?.(args, value, path);
  if (text === undefined) throw new Error(`checkedBody has no words for the rule ${rule}`);
  return new ApiError('invalid_body', 422, 'Unprocessable Entity', `\`${path.join('.')}\`: ${text}`);
}

type Words = (args: readonly unknown[], value: unknown, path: readonly string[]) => string;

const wrongType =
  (expected: string): Words =>
  (_, value) =>
    `Invalid type. Expected: ${expected}, given: ${typeOf(value)}`;

const unknown: Words = (_args, _value, path) => `Additional property ${path.at(-1)} is not allowed`;

const words: Readonly<Record<string, Words>> = {
  isRequired: (_args, _value, path) => `${path.at(-1)} is required`,
  isString: wrongType('string'),
  isBoolean: wrongType('boolean'),
  isObject: wrongType('object'),
  isArray: wrongType('array'),
  isInt: wrongType('integer'),
  min: ([least]) => `Must be greater than or equal to ${String(least)}`,
  max: ([most]) => `Must be less than or equal to ${String(most)}`,
  isNotEmpty: () => 'String length must be greater than or equal to 1',
  maxBytes: ([most]) => `String length must be less than or equal to ${String(most)}`,
  matches: ([pattern]) => `Does not match pattern '${(pattern as RegExp).source}'`,
  isWebAddress: () => "Does not match format 'uri'",
  isIn: ([allowed], _value, path) =>
    `${path.join('.')} must be one of the following: ${(allowed as unknown[]).map((one) => JSON.stringify(one)).join(', ')}`,
  arrayMinSize: ([least]) => `Array must have at least ${String(least)} items`,
  arrayMaxSize: ([most]) => `Array must have at most ${String(most)} items`,
  arrayUnique: () => 'array items must be unique',
  anyOf: () => 'Must validate at least one schema (anyOf)',
  nestedAtMost: ([levels]) => `Must not be nested deeper than ${String(levels)} levels`,
  isAbsent: unknown,
  unknown,
};

/** The JSON type's name in gojsonschema. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
