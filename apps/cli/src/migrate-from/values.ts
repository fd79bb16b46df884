import type { Fields } from './converted-config.js';

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

export const textOf = (value: unknown): string | undefined =>
  isText(value) || typeof value === 'number' ? String(value) : undefined;

/** Null for no limit. */
export function amountOf(value: unknown, isRight: (number: number) => boolean): number | null | undefined {
  const number = isText(value) || typeof value === 'number' ? Number(value) : Number.NaN;
  if (number === -1) return null;
  return isRight(number) && number >= 0 ? number : undefined;
}

export function yesOrNo(value: unknown): boolean | undefined {
  if ([true, 'true', 1, '1'].includes(value as string)) return true;
  return [false, 'false', 0, '0'].includes(value as string) ? false : undefined;
}

/** A variable may contain a list or an object as JSON. */
export function structured(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
