import type { Type } from '@nestjs/common';
import { IsObject, ValidateBy } from 'class-validator';
import { isObject } from '../is-object.js';
import { built } from './built.js';
import { allOf, OfClass } from './rules.js';
import { type Violation, violationIn, withinObject } from './violation.js';

/**
 * An object of an open class, as one field of its owner: `whitelist` of a host's ValidationPipe removes from the objects
 * that class-validator visits each field that their class does not name.
 */
export const NestedOpen = (of: () => Type<object>): PropertyDecorator => {
  const found = (value: unknown): Violation | undefined => (isObject(value) ? violationOf(of(), value) : undefined);
  return allOf(
    IsObject(),
    ValidateBy({
      name: withinObject,
      constraints: [found],
      validator: {
        validate: (value: unknown) => found(value) === undefined,
        // As a ValidationPipe writes it for objects that it visits.
        defaultMessage: (args) => (args ? messageOf(args.property, found(args.value)) : ''),
      },
    }),
    OfClass(of),
  );
};

const violationOf = (of: Type<object>, value: Readonly<Record<string, unknown>>): Violation | undefined =>
  violationIn(value instanceof of ? value : built(of, value).value);

const messageOf = (property: string, violation?: Violation): string =>
  [property, ...(violation?.path.slice(0, -1) ?? []), violation?.message].join('.');
