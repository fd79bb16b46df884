/** What is wrong with `value` at `path`, in the words of Go's gojsonschema (beams-wire §3.1), or `undefined`. */
export type Check = (value: unknown, path: string) => string | undefined;

/** One violation as the API writes it: the field in back-ticks, then the text. */
export const violation = (path: string, text: string): string => `\`${path}\`: ${text}`;

/** The JSON type's name as gojsonschema gives it. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

const wrongType = (path: string, expected: string, value: unknown): string =>
  violation(path, `Invalid type. Expected: ${expected}, given: ${typeOf(value)}`);

/** A value of a JSON type, without further rules. */
export const isA =
  (type: 'string' | 'boolean' | 'object'): Check =>
  (value, path) =>
    typeOf(value) === type ? undefined : wrongType(path, type, value);

export interface TextRules {
  readonly minLength?: number;
  /** In UTF-8 bytes (api § User identity: bytes for publish). */
  readonly maxBytes?: number;
  readonly pattern?: RegExp;
}

export const text =
  ({ minLength = 0, maxBytes = Infinity, pattern }: TextRules): Check =>
  (value, path) => {
    if (typeof value !== 'string') return wrongType(path, 'string', value);
    if (value.length < minLength) return violation(path, `String length must be greater than or equal to ${minLength}`);
    if (Buffer.byteLength(value) > maxBytes)
      return violation(path, `String length must be less than or equal to ${maxBytes}`);
    if (pattern && !pattern.test(value)) return violation(path, `Does not match pattern '${pattern.source}'`);
    return undefined;
  };

export const integer =
  (least: number, most: number): Check =>
  (value, path) => {
    if (!Number.isInteger(value)) return wrongType(path, 'integer', value);
    if (Number(value) < least) return violation(path, `Must be greater than or equal to ${least}`);
    if (Number(value) > most) return violation(path, `Must be less than or equal to ${most}`);
    return undefined;
  };

export const oneOf =
  (...allowed: readonly unknown[]): Check =>
  (value, path) =>
    allowed.includes(value)
      ? undefined
      : violation(
          path,
          `${path} must be one of the following: ${allowed.map((one) => JSON.stringify(one)).join(', ')}`,
        );

export const list =
  (least: number, most: number, item: Check): Check =>
  (value, path) => {
    if (!Array.isArray(value)) return wrongType(path, 'array', value);
    if (value.length < least) return violation(path, `Array must have at least ${least} items`);
    if (value.length > most) return violation(path, `Array must have at most ${most} items`);
    const wrong = first(value.entries(), ([index, one]) => item(one, `${path}.${index}`));
    return wrong ?? (new Set(value).size < value.length ? violation(path, 'array items must be unique') : undefined);
  };

/** An object whose present fields pass their checks; fields without a check pass through. */
export const fields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value, path) => {
    if (typeOf(value) !== 'object') return wrongType(path || '(root)', 'object', value);
    const object = value as Readonly<Record<string, unknown>>; // typeOf has just said so.
    return first(Object.entries(checks), ([name, check]) =>
      Object.hasOwn(object, name) ? check(object[name], path ? `${path}.${name}` : name) : undefined,
    );
  };

/** Both checks, the first one first. */
export const both =
  (one: Check, other: Check): Check =>
  (value, path) =>
    one(value, path) ?? other(value, path);

/** JSON.parse takes any depth, but whatever works on the value afterwards has only so much stack. */
export const nestedAtMost =
  (levels: number): Check =>
  (value, path) =>
    isDeeper(value, levels) ? violation(path, `Must not be nested deeper than ${levels} levels`) : undefined;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** A field that must not be there. */
export const forbidden: Check = (_value, path) =>
  violation(path, `Additional property ${path.slice(path.lastIndexOf('.') + 1)} is not allowed`);

/** The first answer that is not `undefined`. */
export function first<T>(items: Iterable<T>, ask: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const answer = ask(item);
    if (answer !== undefined) return answer;
  }
  return undefined;
}
