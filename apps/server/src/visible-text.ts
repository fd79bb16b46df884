/**
 * C0, DEL and C1, which can move the cursor, set the title or fill the clipboard of a terminal; other line ends; and
 * characters that change the direction of the following text.
 */
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escaped = (character: string): string =>
  short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A text from outside, as one line that a terminal only displays. In JSON its meaning is unchanged. */
export const visible = (text: string): string => text.replace(unseen, escaped);

/** The same for a text of several lines. */
export const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n');
