import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { md5 } from './md5.mjs';

describe('md5', () => {
  // RFC 1321 §A.5
  it.each([
    ['', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['a', '0cc175b9c0f1b6a831c399e269772661'],
    ['message digest', 'f96b697d7cb7938d525a2f31aaf161d0'],
    ['1234567890'.repeat(8), '57edf4a22be3c955ac49da2e2107b67a'],
  ])('of %j is %s', (text, digest) => expect(md5(text)).toBe(digest));

  it("equals Node's, for texts of every length around a block, and for large ones", () => {
    const texts = Array.from({ length: 200 }, (_, length) => 'x'.repeat(length));
    for (const text of [...texts, 'ü€🐦', '{"data":"ü"}'.repeat(9000)])
      expect(md5(text)).toBe(createHash('md5').update(text).digest('hex'));
  });
});
