import type { Type } from '@nestjs/common';
import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import { type KnownRule, rulesOf } from './known-rules.js';

/** A violated rule, and the path of the value. */
export interface Violation {
  /** The names of the fields and the indexes of the items down to it. */
  readonly path: readonly string[];
  /** The rule's name, such as `isString`. */
  readonly rule: string;
  /** The rule's arguments, such as its maximum. */
  readonly args: readonly unknown[];
  readonly value: unknown;
  /** class-validator's own sentence. */
  readonly message?: string;
  /** The `context` of the rule's options. */
  readonly context?: Readonly<Record<string, unknown>>;
}

type Path = readonly string[];

/** The name of a rule whose only constraint finds the violation within the field's object, see `NestedOpen`. */
export const withinObject = 'withinObject';

/** The first rule that an object of a class violates, in the order in which fields and rules are written. */
export const violationIn = (object: object): Violation | undefined =>
  firstOf(validateSync(object, { forbidUnknownValues: false }), []);

function firstOf(errors: readonly ValidationError[], path: Path): Violation | undefined {
  for (const error of errors) {
    const found = own(error, path) ?? firstOf(error.children ?? [], [...path, error.property]);
    if (found) return found;
  }
  return undefined;
}

/** Of rules about items, the first item's violation is reported, before violations inside the items. */
function own({ target, property, value, constraints }: ValidationError, path: Path): Violation | undefined {
  if (!constraints || !target) return undefined;
  let ofItem: Violation | undefined;
  let first = Infinity;
  for (const rule of rulesOf(target.constructor as Type<object>, property)) {
    const name = rule.name ?? rule.type;
    if (!Object.hasOwn(constraints, name)) continue;
    if (name === withinObject) return within(rule, value, [...path, property]);
    const violation = {
      rule: name,
      args: rule.constraints ?? [],
      message: constraints[name],
      context: contextOf(rule),
    };
    if (!rule.each || !Array.isArray(value)) return ofItem ?? { ...violation, path: [...path, property], value };
    const index = value.findIndex((item) => !keeps(rule, item, target));
    if (index >= first) continue;
    first = index;
    ofItem = { ...violation, path: [...path, property, String(index)], value: value[index] as unknown };
  }
  return ofItem;
}

function within({ constraints }: KnownRule, value: unknown, path: Path): Violation | undefined {
  const [found] = constraints as [(value: unknown) => Violation | undefined]; // NestedOpen sets it.
  const violation = found(value);
  return violation && { ...violation, path: [...path, ...violation.path] };
}

const contextOf = (rule: KnownRule): Violation['context'] => rule.context as Violation['context']; // As it was given.

function keeps(rule: KnownRule, item: unknown, object: object): boolean {
  const args = {
    object,
    property: rule.propertyName,
    value: item,
    targetName: '',
    constraints: rule.constraints as unknown[],
  };
  return getMetadataStorage()
    .getTargetValidatorConstraints(rule.constraintCls)
    .every(({ instance }) => instance.validate(item, args) as boolean); // No rule of ours waits.
}
