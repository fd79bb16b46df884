import type { Subscription } from '../subscription.js';
import { encrypt, overheadBytes } from './encrypt.js';

/** One message for many browsers, for another thread: only bytes, which are moved, not copied. */
export interface EncryptionBatch {
  readonly id: number;
  readonly plaintext: Uint8Array;
  /** For each browser, p256dh (65 bytes) and auth (16). */
  readonly keys: Uint8Array<ArrayBuffer>;
}

/** The result: the bodies, all of the same length, and for each browser 1, or 0 if its key is invalid. */
export interface EncryptedBatch {
  readonly id: number;
  readonly bodies: Uint8Array<ArrayBuffer>;
  readonly valid: Uint8Array<ArrayBuffer>;
}

export type BrowserKeys = Pick<Subscription, 'p256dh' | 'auth'>;

const pointBytes = 65;
const keyBytes = pointBytes + 16;

export function batchOf(id: number, plaintext: Uint8Array, browsers: readonly BrowserKeys[]): EncryptionBatch {
  const keys = new Uint8Array(browsers.length * keyBytes);
  for (const [i, { p256dh, auth }] of browsers.entries()) {
    keys.set(p256dh, i * keyBytes);
    keys.set(auth, i * keyBytes + pointBytes);
  }
  return { id, plaintext, keys };
}

export function encryptBatch({ id, plaintext, keys }: EncryptionBatch): EncryptedBatch {
  const count = keys.length / keyBytes;
  const size = plaintext.length + overheadBytes;
  const bodies = new Uint8Array(count * size);
  const valid = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const body = tryEncrypt(plaintext, keysAt(keys, i));
    if (body) bodies.set(body, i * size);
    valid[i] = body ? 1 : 0;
  }
  return { id, bodies, valid };
}

/** Returns `undefined` if the browser's key is not a point on the curve. */
export function tryEncrypt(plaintext: Uint8Array, keys: BrowserKeys): Buffer | undefined {
  try {
    return encrypt(plaintext, keys);
  } catch {
    return undefined;
  }
}

/** The body for the `i`-th browser of a batch. */
export function bodyAt({ bodies, valid }: EncryptedBatch, i: number): Buffer | undefined {
  const size = bodies.length / valid.length;
  return valid[i] === 1 ? Buffer.from(bodies.buffer, bodies.byteOffset + i * size, size) : undefined;
}

function keysAt(keys: Uint8Array<ArrayBuffer>, i: number): BrowserKeys {
  const start = keys.byteOffset + i * keyBytes;
  return {
    p256dh: Buffer.from(keys.buffer, start, pointBytes),
    auth: Buffer.from(keys.buffer, start + pointBytes, 16),
  };
}
