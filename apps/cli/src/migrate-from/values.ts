import type { Fields } from './converted-config.js';

/** Converts a value of another server: undefined if that is impossible, null if Rookery's setting stays unset. */
export type Convert<T> = (value: unknown) => T | null | undefined;

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isText = (value: unknown): value is string => typeof value === 'string';

/** `null` in a file of variables means unset, as in PHP. */
export const isUnset = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 'null' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

export const text = (value: unknown): string | undefined =>
  isText(value) || typeof value === 'number' ? String(value) : undefined;

export const texts: Convert<readonly string[]> = (value) =>
  Array.isArray(value) && value.every(isText) ? value : undefined;

export const object: Convert<Fields> = (value) => (isObject(value) ? value : undefined);

export const url: Convert<URL> = (value) => (isText(value) && URL.canParse(value) ? new URL(value) : undefined);

export const yes: Convert<boolean> = (value) => {
  if ([true, 'true', 1, '1'].includes(value as string)) return true;
  return [false, 'false', 0, '0'].includes(value as string) ? false : undefined;
};

/** A number of units, in smaller ones: `amount(1024)` for KB. Other servers use -1 for no limit. */
export const amount =
  (unit = 1, isRight: (number: number) => boolean = Number.isFinite): Convert<number> =>
  (value) => {
    const number = Number(text(value) ?? Number.NaN);
    if (number === -1) return null;
    return isRight(number) && number >= 0 ? Math.round(number * unit) : undefined;
  };

export const wholeNumber = amount(1, Number.isInteger);

/** A path prefix as Rookery writes it: `/ws`. */
export const pathPrefix: Convert<string> = (value) => {
  const plain = text(value)?.replace(/^\/+|\/+$/g, '');
  return plain ? `/${plain}` : plain === undefined ? undefined : null;
};

/** A variable may contain a list or an object as JSON. */
export function structured(value: string): unknown {
  if (!/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
