/**
 * The start of the next page: after the last name of this one, whatever is added or removed meanwhile. Opaque to
 * clients: base64url (beams-wire §12.4).
 */
export const cursorAfter = (name: string): string => Buffer.from(`>${name}`).toString('base64url');

/** @returns the name in a cursor, or undefined when the cursor is invalid */
export function nameIn(cursor: string, isName: (name: string) => boolean): string | undefined {
  const name = Buffer.from(cursor, 'base64url').toString('latin1').slice(1);
  return isName(name) && cursorAfter(name) === cursor ? name : undefined;
}
