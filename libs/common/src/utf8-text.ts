import { isUtf8 } from 'node:buffer';

/**
 * Whether a text is what its bytes say: bytes that are not UTF-8 were replaced by U+FFFD. They are read again only if the
 * text has that character, which may have been sent as such.
 */
export const isTextOf = (text: string, bytes: Buffer): boolean => !text.includes('\ufffd') || isUtf8(bytes);

/** The text of bytes in UTF-8; undefined for others. */
export function utf8Text(bytes: Buffer): string | undefined {
  const text = bytes.toString();
  return isTextOf(text, bytes) ? text : undefined;
}
