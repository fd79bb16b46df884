import type { Type } from '@nestjs/common';
import { isObject } from '../is-object.js';
import { fieldsOf } from './known-rules.js';
import { isOpen, nestedIn } from './rules.js';
import type { Violation } from './violation.js';

/** An object of a class, and the fields that the class does not know. */
export interface Built<T> {
  readonly value: T;
  readonly strangers: readonly Violation[];
}

type Path = readonly string[];

const originals = new WeakMap<object, object>();

/** The plain value that an object was built from, including fields unknown to its class. */
export const originalOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? (originals.get(value) ?? value) : value;

/**
 * Makes an object of the class from a plain one. Only the fields that the class names are looked at, and their values
 * are kept unless they have a class of their own: nothing is converted or copied, however deep, and no name can reach a
 * prototype. Omitted fields keep the class's default.
 */
export function built<T extends object>(of: Type<T>, plain: Readonly<Record<string, unknown>>): Built<T> {
  const strangers: Violation[] = [];
  return { value: make(of, plain, [], strangers), strangers };
}

function make<T extends object>(
  of: Type<T>,
  plain: Readonly<Record<string, unknown>>,
  path: Path,
  out: Violation[],
): T {
  const names = fieldsOf(of);
  if (!isOpen(of))
    for (const name of Object.keys(plain))
      if (!names.includes(name)) out.push({ path: [...path, name], rule: 'unknown', args: names, value: plain[name] });
  const object = new of();
  originals.set(object, plain);
  for (const name of names)
    if (plain[name] !== undefined)
      Object.assign(object, { [name]: fieldOf(nestedIn(of, name), plain[name], [...path, name], out) });
  return object;
}

function fieldOf(of: Type<object> | undefined, value: unknown, path: Path, out: Violation[]): unknown {
  if (!of) return value;
  if (Array.isArray(value)) return value.map((item: unknown, i) => itemOf(of, item, [...path, String(i)], out));
  return itemOf(of, value, path, out);
}

const itemOf = (of: Type<object>, value: unknown, path: Path, out: Violation[]): unknown =>
  isObject(value) ? make(of, value, path, out) : value;
