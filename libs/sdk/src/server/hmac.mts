import { utf8 } from './bytes.mjs';

/** Signs texts with HMAC-SHA256; the secret's UTF-8 is the key. */
export const hmac = (secret: string) => async (text: string) =>
  crypto.subtle.sign(
    'HMAC',
    await crypto.subtle.importKey('raw', utf8(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']),
    utf8(text),
  );
