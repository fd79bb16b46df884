import { createECDH, randomBytes } from 'node:crypto';
import { assert, property, uint8Array } from 'fast-check';
import ece from 'http_ece';
import { expect, it } from 'vitest';
import { encrypt } from './encrypt.js';

const browser = createECDH('prime256v1');
const p256dh = browser.generateKeys();
const auth = randomBytes(16);

/** Decrypts like a browser, using an independent library. */
const decrypt = (body: Buffer) =>
  ece.decrypt(body, { version: 'aes128gcm', privateKey: browser, authSecret: auth.toString('base64url') });

it('makes one record that the browser can decrypt, 103 bytes longer, for any content', () => {
  assert(
    property(uint8Array({ maxLength: 3993 }), (bytes) => {
      const body = encrypt(Buffer.from(bytes), { p256dh, auth });
      expect(body.length).toBe(bytes.length + 103);
      expect(decrypt(body).equals(bytes)).toBe(true);
    }),
  );
});

it('uses another salt and another key each time', () => {
  const headers = Array.from({ length: 10 }, () => encrypt(Buffer.from('hi'), { p256dh, auth }).subarray(0, 86));
  expect(new Set(headers.map((header) => header.subarray(0, 16).toString('hex'))).size).toBe(10);
  expect(new Set(headers.map((header) => header.subarray(21).toString('hex'))).size).toBe(10);
});

it('refuses a key that is not a point on the curve', () => {
  expect(() => encrypt(Buffer.from('hi'), { p256dh: Buffer.alloc(65, 4), auth })).toThrow();
});
