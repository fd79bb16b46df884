import { randomBytes } from 'node:crypto';

const pattern = /^\d+\.\d+$/;

/** Whether a text has the form of a socket id, as every official server library checks it (channels-wire §1.2). */
export function isSocketId(text: unknown): text is string {
  return typeof text === 'string' && text.length <= 64 && pattern.test(text);
}

const poolEntries = 512;
let pool = Buffer.alloc(0);

/** A socket id that cannot be guessed and is unique over all processes: two random 48-bit numbers. */
export function newSocketId(): string {
  if (pool.length === 0) pool = randomBytes(poolEntries * 12);
  const id = `${pool.readUIntBE(0, 6)}.${pool.readUIntBE(6, 6)}`;
  pool = pool.subarray(12);
  return id;
}
