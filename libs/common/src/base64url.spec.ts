import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { base64urlBytes } from '#common';

it('reads what we write, and no other text of the same bytes', () => {
  for (const size of [1, 2, 3, 32, 54]) {
    const bytes = randomBytes(size);
    const text = bytes.toString('base64url');
    expect(base64urlBytes(text, size)).toEqual(bytes);
    for (const other of [`${text}=`, `${text} `, ` ${text.slice(1)}`, '', bytes.toString('base64') + '=', 7, undefined])
      expect(base64urlBytes(other, size)).toBeUndefined();
  }
  const [zero, malleable] = ['A'.repeat(43), `${'A'.repeat(42)}B`];
  expect(Buffer.from(malleable, 'base64url')).toEqual(Buffer.from(zero, 'base64url'));
  expect([base64urlBytes(zero, 32)?.length, base64urlBytes(malleable, 32)]).toEqual([32, undefined]);
});
