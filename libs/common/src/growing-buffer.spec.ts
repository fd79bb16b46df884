import { array, assert, property, uint8Array } from 'fast-check';
import { expect, it } from 'vitest';
import { GrowingBuffer } from './growing-buffer.js';

it('contains everything added, in order, and leaves the pieces unchanged', () => {
  assert(
    property(array(uint8Array()), (arrays) => {
      const pieces = arrays.map((each) => Buffer.from(each));
      const all = new GrowingBuffer();
      for (const piece of pieces) all.add(piece);
      expect(all.bytes.equals(Buffer.concat(arrays))).toBe(true);
      expect(all.length).toBe(all.bytes.length);
      expect(pieces.map((each) => Uint8Array.from(each))).toEqual(arrays);
    }),
  );
});

it('does not copy the only piece', () => {
  const all = new GrowingBuffer();
  const piece = Buffer.from('piece');
  all.add(piece);
  expect(all.bytes).toBe(piece);
});

it('grows by doubling, up to its maximum', () => {
  const all = new GrowingBuffer(100_000);
  const rooms = new Set<number>();
  for (let i = 0; i < 100_000; i++) {
    all.add(Buffer.from([i]));
    // Smaller ones lie in Node's own pool.
    if (all.length > 10_000) rooms.add(all.bytes.buffer.byteLength);
  }
  expect(rooms.size).toBeLessThan(6);
  expect(Math.max(...rooms)).toBe(100_000);
});

it('starts over when it was cleared', () => {
  const all = new GrowingBuffer();
  all.add(Buffer.from('ab'));
  all.add(Buffer.from('cd'));
  all.clear();
  expect(all.bytes).toHaveLength(0);
  all.add(Buffer.from('e'));
  expect(all.bytes.toString()).toBe('e');
});
