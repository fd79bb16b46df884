import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { isHidden, root } from './rules.js';

/** One rule of one field, as class-validator stores it. */
export type KnownRule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** The rules of a class, in the order in which they are written. */
interface KnownClass {
  readonly fields: readonly string[];
  readonly rules: ReadonlyMap<string, readonly KnownRule[]>;
}

const known = new WeakMap<Type<object>, KnownClass>();

/** The rules of a field of the class. */
export const rulesOf = (of: Type<object>, field: string): readonly KnownRule[] => classOf(of).rules.get(field) ?? [];

/** The names of the fields that have rules. */
export const fieldsOf = (of: Type<object>): readonly string[] => classOf(of).fields;

function classOf(of: Type<object>): KnownClass {
  const found = known.get(of) ?? collected(of);
  known.set(of, found);
  return found;
}

function collected(of: Type<object>): KnownClass {
  const rules = new Map<string, KnownRule[]>();
  for (const rule of getMetadataStorage().getTargetValidationMetadatas(of, '', false, false))
    // Decorators run from the last to the first.
    rules.set(rule.propertyName, [rule, ...(rules.get(rule.propertyName) ?? [])]);
  return { rules, fields: [...rules.keys()].filter((name) => name !== root && !isHidden(of, name)) };
}
