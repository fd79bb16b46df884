import { createHmac, timingSafeEqual } from 'node:crypto';

/** The HMAC-SHA256 of a text or bytes, in hexadecimal. */
export const hmacHex = (secret: string, text: string | Buffer): string =>
  createHmac('sha256', secret).update(text).digest('hex');

/** Whether two secrets are equal, in a time that does not depend on where they differ. */
export function sameSecret(given: string, expected: string): boolean {
  const left = Buffer.from(given);
  const right = Buffer.from(expected);
  return left.length === right.length && timingSafeEqual(left, right);
}
