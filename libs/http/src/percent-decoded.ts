/** Each character of percent-encoded UTF-8 that decodeURIComponent accepts (RFC 3629 §4). */
const characters = new RegExp(
  ['%[0-7]h', '%(?:c[2-9a-f]|dh)T', '%(?:e0%[ab]h|e[1-9a-cef]T|ed%[89]h)T', '%(?:f0%[9ab]h|f[1-3]T|f4%8h)TT']
    .join('|')
    .replaceAll('T', '%[89ab]h')
    .replaceAll('h', '[\\da-f]'),
  'gi',
);

/**
 * A text without its percent-encoding; one that cannot be decoded is answered as it is. It throws nothing inside: an
 * error costs as much as thousands of characters, and a request has room for thousands of texts.
 */
export function percentDecoded(text: string): string {
  if (!text.includes('%') || text.replaceAll(characters, '').includes('%')) return text;
  return decodeURIComponent(text);
}
