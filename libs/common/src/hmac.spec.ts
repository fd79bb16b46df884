import { assert, property, string } from 'fast-check';
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hmacHex } from './hmac.js';

const expected = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');

describe('hmacHex', () => {
  it('is what createHmac answers, for any secret and text', () => {
    const any = string({ unit: 'binary', maxLength: 200 });
    assert(
      property(any, any, (secret, text) => {
        expect(hmacHex(secret, text)).toBe(expected(secret, text));
      }),
      { numRuns: 500 },
    );
  });

  it.each([0, 1, 63, 64, 65, 1000])('is right for secrets of %i bytes', (length) => {
    const secret = 's'.repeat(length);
    expect(hmacHex(secret, 'text')).toBe(expected(secret, 'text'));
  });

  it.each([0, 1364, 1365, 1366, 4096, 100_000])('is right for texts of %i characters', (length) => {
    for (const text of ['x'.repeat(length), '€'.repeat(length)])
      expect(hmacHex('secret', text)).toBe(expected('secret', text));
  });

  it('keeps secrets apart, however many there are', () => {
    for (let i = 0; i < 3000; i++) expect(hmacHex(`secret-${i}`, 'text')).toBe(expected(`secret-${i}`, 'text'));
  });
});
