import type { Type } from '@nestjs/common';

const formerNames = Symbol('rookery.former-names');

/** Accepts a field under its former name too, so that settings from before a rename stay valid. */
export const FormerName =
  (name: string): PropertyDecorator =>
  ({ constructor }, field) =>
    Reflect.defineMetadata(formerNames, new Map([...formerNamesIn(constructor), [name, String(field)]]), constructor);

/** The current names of a class's renamed fields, by their former ones. */
export const formerNamesIn = (of: object): ReadonlyMap<string, string> =>
  (Reflect.getMetadata(formerNames, of) as ReadonlyMap<string, string> | undefined) ?? new Map<string, string>();

/** The settings under the current names of their class. If a field is given under both names, the current one counts. */
export function withCurrentNames<T extends object>(of: Type<object>, plain: T): T {
  const current = formerNamesIn(of);
  if (![...current.keys()].some((name) => Object.hasOwn(plain, name))) return plain;
  const fields = Object.entries(Object.getOwnPropertyDescriptors(plain)).flatMap(([name, field]) => {
    const renamed = current.get(name);
    if (renamed === undefined) return [[name, field] as const];
    return Object.hasOwn(plain, renamed) ? [] : [[renamed, field] as const];
  });
  // With the same prototype, because a class may define other settings as getters.
  return Object.create(Object.getPrototypeOf(plain) as object | null, Object.fromEntries(fields)) as T;
}
