import { expect, it } from 'vitest';
import { Ring } from './ring.js';

it('keeps the latest entries that fit, in order', () => {
  const ring = new Ring<number>(1600);
  for (let n = 0; n < 1000; n++) ring.add(n, 10);
  const kept = [...ring];
  expect(kept.at(-1)).toBe(999);
  expect(kept.length).toBeLessThanOrEqual(160);
  expect(kept.length).toBeGreaterThan(140);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, n) => 1000 - kept.length + n));
  expect([...ring.backwards()]).toEqual(kept.toReversed());
  expect(ring.hasDropped).toBe(true);
});

it('has dropped nothing while all fit', () => {
  const ring = new Ring<number>(1600);
  for (let n = 0; n < 100; n++) ring.add(n, 10);
  expect([[...ring].length, ring.hasDropped]).toEqual([100, false]);
});

it('leaves out an entry that is larger than a part, and keeps nothing without room', () => {
  const ring = new Ring<string>(1600);
  ring.add('small', 10);
  ring.add('large', 101);
  expect([...ring]).toEqual(['small']);
  expect(ring.hasDropped).toBe(true);
  const none = new Ring<string>(0);
  none.add('any', 1);
  expect([...none]).toEqual([]);
});
