import { array, assert, constantFrom, nat, oneof, property, string, uint8Array } from 'fast-check';
import { isUtf8 } from 'node:buffer';
import { expect, it } from 'vitest';
import { FragmentedText } from './fragmented-text.js';

const next = [0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf];
/** Tries what may follow: a byte of each range that UTF-8 tells apart. */
function canBecomeText(bytes: Buffer, more = 3): boolean {
  if (isUtf8(bytes)) return true;
  return more > 0 && next.some((byte) => canBecomeText(Buffer.concat([bytes, Buffer.from([byte])]), more - 1));
}

it('accepts exactly valid UTF-8, and stops as soon as no continuation could be valid', () => {
  const odd = constantFrom(
    'c0',
    'c2',
    'df',
    'e0',
    'ed',
    'ef',
    'f0',
    'f4',
    'f5',
    'ff',
    '80',
    '8f',
    '90',
    '9f',
    'a0',
    'bf',
    '61',
  );
  const bytes = oneof(
    string({ unit: 'binary', maxLength: 20 }).map((text) => Buffer.from(text)),
    array(odd, { maxLength: 8 }).map((all) => Buffer.from(all.join(''), 'hex')),
    uint8Array({ maxLength: 10 }).map((all) => Buffer.from(all)),
  );
  assert(
    property(bytes, array(nat(20), { maxLength: 6 }), (whole, cuts) => {
      const ends = [...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((a, b) => a - b), whole.length];
      const text = new FragmentedText();
      for (const [at, end] of ends.entries()) {
        const isGood = text.add(whole.subarray(ends[at - 1] ?? 0, end));
        expect(isGood).toBe(canBecomeText(whole.subarray(0, end)));
        if (!isGood) return;
      }
      expect(text.length).toBe(whole.length);
      expect(text.end()).toBe(isUtf8(whole) ? whole.toString() : undefined);
    }),
    { numRuns: 3000 },
  );
});
