import { createHmac } from 'node:crypto';

/** The HMAC-SHA256 of a text or bytes, in hexadecimal. */
export const hmacHex = (secret: string, text: string | Buffer): string =>
  createHmac('sha256', secret).update(text).digest('hex');
