/**
 * The bytes of a text of base64url, if it is the one that we would write for them: a reader ignores spaces and the last
 * bits, and has thousands of texts for the same bytes.
 */
export function base64urlBytes(text: unknown, size: number): Buffer | undefined {
  if (typeof text !== 'string' || text.length !== Math.ceil((size * 4) / 3)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
