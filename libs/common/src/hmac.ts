import { createHmac } from 'node:crypto';

/** The HMAC-SHA256 of a text, in hexadecimal. */
export const hmacHex = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text).digest('hex');
