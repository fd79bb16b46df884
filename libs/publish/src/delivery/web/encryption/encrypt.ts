import { createCipheriv, createECDH, createHmac, randomBytes } from 'node:crypto';
import type { Subscription } from '../subscription.js';

/** The overhead beyond the plaintext: header (86), delimiter (1) and tag (16). */
export const overheadBytes = 103;
const saltBytes = 16;
const recordSize = 4096;
const keyInfo = Buffer.from('Content-Encoding: aes128gcm\0\x01');
const nonceInfo = Buffer.from('Content-Encoding: nonce\0\x01');
const webPushInfo = Buffer.from('WebPush: info\0');
const one = Buffer.from([1]);
/** Ends the plaintext of the last record, here the only one. */
const delimiter = Buffer.from([2]);

/** Each message gets a new key pair; the object itself is costly to create, and only one call uses it at a time. */
const sender = createECDH('prime256v1');

/**
 * Encrypts a message for one browser: a single aes128gcm record (RFC 8188, RFC 8291), 103 bytes longer than the
 * plaintext. Throws if the browser's key is not a point on the curve.
 */
export function encrypt(plaintext: Uint8Array, { p256dh, auth }: Pick<Subscription, 'p256dh' | 'auth'>): Buffer {
  const publicKey = sender.generateKeys();
  const secret = sender.computeSecret(p256dh);
  const salt = randomBytes(saltBytes);
  const keyMaterial = hmac(hmac(auth, secret), webPushInfo, p256dh, publicKey, one);
  const pseudoRandomKey = hmac(salt, keyMaterial);
  const key = hmac(pseudoRandomKey, keyInfo).subarray(0, 16);
  const nonce = hmac(pseudoRandomKey, nonceInfo).subarray(0, 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const encrypted = [cipher.update(plaintext), cipher.update(delimiter), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([header(salt, publicKey), ...encrypted]);
}

/** For outputs of up to 32 bytes, extract and expand of HKDF-SHA-256 (RFC 5869) are one HMAC each. */
function hmac(key: Buffer, ...parts: readonly Buffer[]): Buffer {
  const hash = createHmac('sha256', key);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** salt (16) · record size (4) · length of the key id (1) · key id: the sender's public key (65) */
function header(salt: Buffer, publicKey: Buffer): Buffer {
  const sizes = Buffer.alloc(5);
  sizes.writeUInt32BE(recordSize, 0);
  sizes.writeUInt8(publicKey.length, 4);
  return Buffer.concat([salt, sizes, publicKey]);
}
