/** A value of the configuration file and where it stands, such as `apps[0].key`, so that an error can name it. */
export interface Field {
  readonly path: string;
  readonly value: unknown;
}

type Check<T> = (field: Field) => T;

/** The fields of an object; one that `known` does not name is an error, since a misspelt setting would go unnoticed. */
export function object({ path, value }: Field, known: readonly string[]): (name: string) => Field {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong({ path, value }, 'an object');
  const fields = value as Record<string, unknown>;
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`${path}.${unknown} is no setting; known are ${known.join(', ')}`);
  return (name) => ({ path: `${path}.${name}`, value: fields[name] });
}

export const text: Check<string> = (field) => {
  if (typeof field.value !== 'string' || field.value === '') throw wrong(field, 'a text that is not empty');
  return field.value;
};

export const webAddress: Check<string> = (field) => {
  const address = text(field);
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw wrong(field, 'an http or https URL');
  return address;
};

export const oneOf =
  (allowed: readonly string[]): Check<string> =>
  (field) => {
    const value = text(field);
    if (!allowed.includes(value)) throw wrong(field, `one of ${allowed.join(', ')}`);
    return value;
  };

export const flag: Check<boolean> = (field) => {
  if (typeof field.value !== 'boolean') throw wrong(field, 'true or false');
  return field.value;
};

export const count: Check<number> = (field) => {
  if (!Number.isInteger(field.value) || (field.value as number) < 0) throw wrong(field, 'a whole number');
  return field.value as number;
};

export const share: Check<number> = (field) => {
  if (typeof field.value !== 'number' || !(field.value >= 0 && field.value <= 1))
    throw wrong(field, 'a number from 0 to 1');
  return field.value;
};

/** An object that is passed on as it is. */
export const anything: Check<Readonly<Record<string, unknown>>> = (field) => {
  const names = typeof field.value === 'object' && field.value !== null ? Object.keys(field.value) : [];
  const at = object(field, names);
  return Object.fromEntries(names.map((name) => [name, at(name).value]));
};

export const orNull =
  <T>(check: Check<T>): Check<T | null> =>
  (field) =>
    field.value === null ? null : check(field);

export const list =
  <T>(check: Check<T>): Check<readonly T[]> =>
  ({ path, value }) => {
    if (!Array.isArray(value)) throw wrong({ path, value }, 'an array');
    return value.map((item: unknown, i) => check({ path: `${path}[${i}]`, value: item }));
  };

/** `{ name: value }` when the field is there, else nothing: what is not said takes its default. */
export function optional<N extends string, T>(name: N, field: Field, check: Check<T>): Partial<Record<N, T>> {
  return field.value === undefined ? {} : ({ [name]: check(field) } as Record<N, T>);
}

/** An object of whole numbers, each of which may be left out. */
export const counts =
  <Name extends string>(names: readonly Name[]): Check<Partial<Record<Name, number>>> =>
  (field) => {
    const at = object(field, names);
    return Object.assign({}, ...names.map((name) => optional(name, at(name), count)));
  };

// Values may be secrets: the error names their type only.
function wrong({ path, value }: Field, expected: string): Error {
  const got =
    value === null ? 'null' : Array.isArray(value) ? 'an array' : value === '' ? 'an empty text' : typeof value;
  return new Error(`${path} must be ${expected}, got ${got}`);
}
