import { createHmac, hash } from 'node:crypto';

// SHA-256 (RFC 2104): blocks of 64 bytes, digests of 32.
const blockBytes = 64;
const digestBytes = 32;
const textBytes = 4096;
const rememberedKeys = 1024;

interface Pads {
  /** The inner pad, and room for a text. */
  readonly inner: Buffer;
  /** The outer pad, and room for the inner digest. */
  readonly outer: Buffer;
}

const padsOf = new Map<string, Pads>();

/**
 * The HMAC-SHA256 of a text in hexadecimal. As two one-shot digests over a key that was prepared once, it costs half of
 * what `createHmac` does for the short texts that are signed here.
 */
export function hmacHex(secret: string, text: string): string {
  // A character is at most three bytes of UTF-8.
  if (text.length * 3 > textBytes) return createHmac('sha256', secret).update(text).digest('hex');
  const { inner, outer } = padsOf.get(secret) ?? prepared(secret);
  const end = blockBytes + inner.write(text, blockBytes);
  outer.write(hash('sha256', inner.subarray(0, end), 'binary'), blockBytes, 'latin1');
  return hash('sha256', outer, 'hex');
}

function prepared(secret: string): Pads {
  const bytes = Buffer.from(secret);
  const key = bytes.length > blockBytes ? hash('sha256', bytes, 'buffer') : bytes;
  const pads = {
    inner: Buffer.alloc(blockBytes + textBytes, 0x36),
    outer: Buffer.alloc(blockBytes + digestBytes, 0x5c),
  };
  for (const [i, byte] of key.entries()) {
    pads.inner[i]! ^= byte;
    pads.outer[i]! ^= byte;
  }
  if (padsOf.size >= rememberedKeys) padsOf.clear();
  padsOf.set(secret, pads);
  return pads;
}
