import { isStorable } from '#common';

/** Whether a text can be the id of a user: any of 1 to `maxLength` storable characters (channels-wire §3.4, §3.6). */
export function isUserId(text: unknown, maxLength: number): text is string {
  return typeof text === 'string' && text !== '' && hasAtMost(text, maxLength) && isStorable(text);
}

// A character may be two units of a JavaScript string. Most ids are far below the limit, which spares counting.
function hasAtMost(text: string, characters: number): boolean {
  return text.length <= characters || (text.length <= 2 * characters && [...text].length <= characters);
}
