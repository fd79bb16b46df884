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

/** The most rows of a page, and as many as come without a `limit`. */
export const maxInPage = 100;

/** The rows of a page that a request asks for. @throws the refusal */
export function limitIn(limit: unknown, refusal: (why: string) => Error): number {
  if (limit === undefined) return maxInPage;
  const size = typeof limit === 'string' && /^\d+$/.test(limit) ? Number(limit) : 0;
  if (size < 1 || size > maxInPage) throw refusal(`limit must be a whole number from 1 to ${maxInPage}`);
  return size;
}

/** The name after which a page begins; undefined for the first one. @throws the refusal */
export function cursorIn(
  cursor: unknown,
  isName: (name: string) => boolean,
  refusal: (why: string) => Error,
): string | undefined {
  if (cursor === undefined) return undefined;
  const name = typeof cursor === 'string' ? nameIn(cursor, isName) : undefined;
  if (name === undefined) throw refusal('cursor must be the nextCursor of an earlier answer');
  return name;
}
