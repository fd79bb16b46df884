import { createHmac } from 'node:crypto';
import { assert, oneof, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { hmacHex, sameSecret } from '#common';

it.each([
  ['secret', 'secret', true],
  ['secret', 'Secret', false],
  ['secret', 'secrets', false],
  ['', 'secret', false],
])('compares %j with %j: %j', (given, expected, same) => {
  expect(sameSecret(given, expected)).toBe(same);
});

const byNode = (secret: string, text: string | Buffer): string =>
  createHmac('sha256', secret).update(text).digest('hex');

it('signs any text with any secret as an Hmac does', () => {
  const text = oneof(string({ unit: 'binary' }), string({ unit: 'grapheme' }));
  assert(
    property(text, text, (secret, signed) => {
      expect(hmacHex(secret, signed)).toBe(byNode(secret, signed));
    }),
  );
});

it.each([63, 64, 65, 1000])('signs with a secret of %d characters', (length) => {
  expect(hmacHex('k'.repeat(length), 'text')).toBe(byNode('k'.repeat(length), 'text'));
});

it.each([2047, 2048, 2049, 100_000])('signs a text of %d characters of three bytes', (length) => {
  expect(hmacHex('secret', '☃'.repeat(length))).toBe(byNode('secret', '☃'.repeat(length)));
});

it('signs bytes', () => {
  const bytes = Buffer.from([0, 255, 128]);
  expect(hmacHex('secret', bytes)).toBe(byNode('secret', bytes));
});

it('signs with more secrets than it remembers', () => {
  for (let n = 0; n < 2500; n++)
    expect(hmacHex(`secret ${n % 1250}`, 'text')).toBe(byNode(`secret ${n % 1250}`, 'text'));
});
