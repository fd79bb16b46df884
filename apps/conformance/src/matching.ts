import { Mismatch, OtherWords } from './case.js';

/** English of Pusher's, which another server may put otherwise. */
export class Words {
  constructor(readonly text: RegExp) {}

  toJSON(): string {
    return String(this.text);
  }
}

/** Text, number, boolean or null: equal. RegExp: found in the text. Function: true. Array and object: each of their parts. */
export type Pattern =
  | Words
  | string
  | number
  | boolean
  | null
  | undefined
  | RegExp
  | ((value: unknown) => boolean)
  | readonly Pattern[]
  | { readonly [name: string]: Pattern };

/**
 * An object may have more than its pattern; an array may not. A pattern of undefined: absent.
 * @param anyWords whether any text will do for {@link Words}
 */
export function matches(value: unknown, pattern: Pattern, anyWords = false): boolean {
  if (pattern instanceof Words) return typeof value === 'string' && (anyWords || pattern.text.test(value));
  if (typeof pattern === 'function') return pattern(value);
  if (pattern instanceof RegExp) return typeof value === 'string' && pattern.test(value);
  if (Array.isArray(pattern))
    return (
      Array.isArray(value) &&
      value.length === pattern.length &&
      pattern.every((each, n) => matches(value[n], each, anyWords))
    );
  if (typeof pattern !== 'object' || pattern === null) return value === pattern;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const parts = value as Readonly<Record<string, unknown>>;
  return Object.entries(pattern as Readonly<Record<string, Pattern>>).every(([name, each]) =>
    matches(parts[name], each, anyWords),
  );
}

/** Any status of success: that it is 200 is the business of the cases that say so. */
export const isSuccess = (status: unknown): boolean => typeof status === 'number' && status >= 200 && status < 300;

/** @throws Mismatch, or OtherWords if only these differ */
export function expects(what: string, value: unknown, pattern: Pattern): void {
  if (matches(value, pattern)) return;
  const Difference = matches(value, pattern, true) ? OtherWords : Mismatch;
  throw new Difference(what, described(pattern), described(value));
}

const maxText = 600;

/** As a reader of a report needs it. */
export function described(value: unknown): string {
  const text = JSON.stringify(value, (_, each: unknown) =>
    each instanceof RegExp ? String(each) : typeof each === 'function' ? `(${each.name || String(each)})` : each,
  );
  return (text ?? String(value)).slice(0, maxText);
}

/** JSON in a text that matches. */
export const json = (pattern: Pattern): Pattern => {
  const isJson = (value: unknown): boolean => {
    try {
      return typeof value === 'string' && matches(JSON.parse(value), pattern);
    } catch {
      return false;
    }
  };
  return Object.defineProperty(isJson, 'name', { value: `JSON text of ${described(pattern)}` });
};
