import { isInterest } from './interest.js';

/**
 * Where the next page of interests begins: after the last name of this one, whatever is added or removed meanwhile.
 * Opaque to clients: base64url (beams-wire §12.4).
 */
export const cursorAfter = (interest: string): string => Buffer.from(`>${interest}`).toString('base64url');

/** @returns the name a cursor stands for, or undefined when it is none of ours */
export function interestOf(cursor: string): string | undefined {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const interest = text.slice(1);
  return isInterest(interest) && cursorAfter(interest) === cursor ? interest : undefined;
}
