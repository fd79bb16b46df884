import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** Of SHA-256, in bytes. */
const [block, digest] = [64, 32];
/** The longest short text, in characters, each of at most 3 bytes. */
const maxShort = 2048;
const maxKeys = 1000;

/** A key as HMAC uses it (RFC 2104), each with room for the text that is hashed after it. */
interface Pads {
  readonly inner: Buffer;
  readonly outer: Buffer;
}

const keys = new Map<string, Pads>();
const room = Buffer.alloc(block + 3 * maxShort);

/** The HMAC-SHA256 of a text or bytes, in hexadecimal. */
export function hmacHex(secret: string, text: string | Buffer): string {
  if (typeof text !== 'string' || text.length > maxShort)
    return createHmac('sha256', secret).update(text).digest('hex');
  // Every trigger has a signature. Two hashes take half the time of an Hmac, an object that the garbage collector must
  // also finalize.
  const { inner, outer } = keys.get(secret) ?? remembered(secret);
  inner.copy(room);
  const bytes = block + room.write(text, block);
  outer.write(hash('sha256', room.subarray(0, bytes)), block, 'hex');
  return hash('sha256', outer);
}

function remembered(secret: string): Pads {
  const bytes = Buffer.from(secret);
  const key = bytes.length > block ? Buffer.from(hash('sha256', bytes), 'hex') : bytes;
  const [inner, outer] = [Buffer.alloc(block, 0x36), Buffer.alloc(block + digest, 0x5c)];
  for (const pad of [inner, outer]) for (const [at, byte] of key.entries()) pad[at]! ^= byte;
  if (keys.size === maxKeys) keys.clear();
  keys.set(secret, { inner, outer });
  return { inner, outer };
}

/** Whether two secrets are equal, in a time that does not depend on where they differ. */
export function sameSecret(given: string, expected: string): boolean {
  const left = Buffer.from(given);
  const right = Buffer.from(expected);
  return left.length === right.length && timingSafeEqual(left, right);
}
