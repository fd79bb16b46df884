import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { Type as TransformedTo } from 'class-transformer';
import {
  IsArray,
  IsObject,
  registerDecorator,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  type ValidationOptions,
} from 'class-validator';
import { isObject } from '../is-object.js';

// Rules in addition to class-validator's. Their messages state what is expected, as in `must be …`. All rules of a
// field run whatever the others answer, so each accepts any value.

/** The name under which a rule about the whole object is reported. */
export const root = '(root)';

const nestedClass = Symbol('rookery.nested');
const openClass = Symbol('rookery.open');
const hiddenFields = Symbol('rookery.hidden');

/** Combines several decorators of a field, in the given order. */
export const allOf =
  (...decorators: readonly PropertyDecorator[]): PropertyDecorator =>
  (target, field) => {
    // Applied like stacked decorators: the last one first.
    for (const decorate of decorators.toReversed()) decorate(target, field);
  };

/** A custom rule: `isRight` checks the value, or each item with `{ each: true }`. */
export const rule = (
  name: string,
  message: string,
  isRight: (value: unknown, object: object) => boolean,
  options?: ValidationOptions,
  constraints: unknown[] = [],
): PropertyDecorator =>
  ValidateBy(
    {
      name,
      constraints,
      validator: {
        validate: (value, validated) => isRight(value, validated?.object ?? {}),
        defaultMessage: () => `$property ${message}`,
      },
    },
    options,
  );

/** A rule about the whole object, reported after those of its fields. */
export const wholeRule =
  <T extends object>(name: string, isRight: (object: T) => boolean, options: ValidationOptions = {}): ClassDecorator =>
  (target) =>
    registerDecorator({
      target,
      propertyName: root,
      name,
      options,
      constraints: [],
      validator: { validate: (_value, validated) => isRight(validated?.object as T) }, // Of the decorated class.
    });

/** Required; other rules state the type. */
export const IsRequired = (): PropertyDecorator => rule('isRequired', 'must be there', (value) => value !== undefined);

/** Optional; `null` is not allowed. */
export const Optional = (): PropertyDecorator => ValidateIf((_object, value) => value !== undefined);

/** Optional, or `null`. */
export const OrNull = (): PropertyDecorator => ValidateIf((_object, value) => value !== undefined && value !== null);

/** A non-empty text. */
export const IsText = (options?: ValidationOptions): PropertyDecorator =>
  rule('isText', 'must be a text that is not empty', (value) => typeof value === 'string' && value !== '', options);

/**
 * A non-empty text without white space at its ends, such as an id, a key or a secret: a line break there comes from the
 * file that it was kept in, and no client or library would send it.
 */
export const IsExactText = (options?: ValidationOptions): PropertyDecorator =>
  allOf(
    IsText(options),
    rule(
      'isExactText',
      'must have no spaces or line breaks at its ends',
      (value) => typeof value !== 'string' || value.trim() === value,
      options,
    ),
  );

/** A whole number from `least` to `most`; Infinity is allowed if there is no limit. */
export const IsCount = (least = 0, most = Infinity): PropertyDecorator =>
  rule(
    'isCount',
    `must be a whole number${rangeText(least, most)}`,
    (value) =>
      typeof value === 'number' && (value % 1 === 0) !== (value === Infinity) && value >= least && value <= most,
    { context: { shown: 'number' } },
    [least, most],
  );

/** A number from `least` to `most`, both included. */
export const IsAmount = (least: number, most = Infinity): PropertyDecorator =>
  rule(
    'isAmount',
    `must be a number${rangeText(least, most)}`,
    (value) => typeof value === 'number' && value >= least && value <= most,
    { context: { shown: 'number' } },
    [least, most],
  );

function rangeText(least: number, most: number): string {
  if (most < Infinity) return ` from ${least} to ${most}`;
  return least > 0 ? ` of at least ${least}` : '';
}

/** An http or https URL, such as a webhook's. */
export const IsWebAddress = (options?: ValidationOptions): PropertyDecorator =>
  rule(
    'isWebAddress',
    'must be an http or https URL',
    (value) => typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value),
    options,
  );

/** An array without duplicates. class-validator's own rule takes quadratic time. */
export const IsUnique = (): PropertyDecorator =>
  rule('arrayUnique', 'must name each once', (value) => Array.isArray(value) && new Set(value).size === value.length);

/** A text of at most so many bytes of UTF-8. */
export const MaxBytes = (most: number, options?: ValidationOptions): PropertyDecorator =>
  rule(
    'maxBytes',
    `must be at most ${most} bytes`,
    (value) => typeof value === 'string' && Buffer.byteLength(value) <= most,
    options,
    [most],
  );

/** A forbidden field. */
export const IsAbsent = (): PropertyDecorator => rule('isAbsent', 'must not be there', (value) => value === undefined);

/** An object whose values are strings, such as headers. */
export const IsTexts = (): PropertyDecorator =>
  rule(
    'isTexts',
    'must be an object of texts that are not empty',
    (value) => isObject(value) && Object.values(value).every((each) => typeof each === 'string' && each !== ''),
  );

/** The client sets these itself, or refuses them. */
const headersOfConnection = ['connection', 'content-length', 'expect', 'keep-alive', 'transfer-encoding', 'upgrade'];

const isHeaderName = (name: string): boolean =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !headersOfConnection.includes(name.toLowerCase());

/** Without control characters and those above Latin-1 (RFC 9110 §5.5). */
const isHeaderValue = (value: unknown): boolean =>
  typeof value !== 'string' || (/^[\t -~\x80-\xff]*$/.test(value) && value.trim() === value);

/** Headers to send with a request. */
export const IsHeaders = (): PropertyDecorator =>
  allOf(
    IsTexts(),
    rule(
      'isHeaderNames',
      `must have names of letters, digits and -, other than ${headersOfConnection.join(', ')}`,
      (value) => !isObject(value) || Object.keys(value).every(isHeaderName),
    ),
    rule(
      'isHeaderValues',
      'must have values without line breaks, spaces at the ends and characters above Latin-1',
      (value) => !isObject(value) || Object.values(value).every(isHeaderValue),
    ),
  );

/** An object of another class, or an array of them with `each`. A host's ValidationPipe supports it too. */
export const Nested = (of: () => Type<object>, { each = false } = {}): PropertyDecorator =>
  allOf(...(each ? [IsArray()] : []), IsObject({ each }), ValidateNested({ each }), OfClass(of));

/** The class of the field's object: {@link nestedIn} and class-transformer read it. */
export const OfClass = (of: () => Type<object>): PropertyDecorator =>
  allOf(TransformedTo(of), Reflect.metadata(nestedClass, of));

/** The class of the field's object, or of those in its array. */
export const nestedIn = (of: Type<object>, name: string): Type<object> | undefined =>
  (Reflect.getMetadata(nestedClass, of.prototype as object, name) as (() => Type<object>) | undefined)?.();

/** Allows the class's objects to have unknown fields, which are ignored. */
export const Open = (): ClassDecorator => Reflect.metadata(openClass, true);

/** The class without the fields that a caller may not set. */
export function Without<T extends object, Name extends keyof T & string>(
  of: Type<T>,
  ...names: Name[]
): Type<Omit<T, Name>> {
  const Narrowed = class extends (of as Type<object>) {};
  Reflect.defineMetadata(hiddenFields, [...hiddenIn(of), ...names], Narrowed);
  return Narrowed as Type<Omit<T, Name>>; // What it inherits of them keeps its default.
}

const hiddenIn = (of: Type<object>): readonly string[] =>
  (Reflect.getMetadata(hiddenFields, of) as readonly string[] | undefined) ?? [];

export const isHidden = (of: Type<object>, field: string): boolean => hiddenIn(of).includes(field);

export const isOpen = (of: Type<object>): boolean => Reflect.hasMetadata(openClass, of);

/** A time in RFC 3339, with its zone. */
export const IsTimestamp = (): PropertyDecorator =>
  rule(
    'isTimestamp',
    "must be a time with its zone, such as '2026-12-01T00:00:00Z'",
    (value) =>
      typeof value === 'string' &&
      /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(value) &&
      !Number.isNaN(Date.parse(value)),
    { context: { shown: 'string' } },
  );
