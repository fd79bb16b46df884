import { array, assert, boolean, integer, property, tuple } from 'fast-check';
import { expect, it } from 'vitest';
import { SortedIds } from './sorted-ids.js';

it('holds each id once, in order, for any additions and removals', () => {
  assert(
    property(array(tuple(boolean(), integer({ min: 0, max: 20 }))), (steps) => {
      const [ids, expected] = [new SortedIds(), new Set<string>()];
      for (const [isAdded, number] of steps) {
        const id = `id-${number}`;
        if (isAdded) ids.add(id);
        else ids.remove(id);
        if (isAdded) expected.add(id);
        else expected.delete(id);
      }
      expect(ids.page('', Infinity)).toEqual([...expected].toSorted());
      expect(ids.size).toBe(expected.size);
    }),
  );
});

it('pages after an id, whether it exists or not', () => {
  const ids = new SortedIds();
  for (const id of ['d', 'b', 'a', 'c']) ids.add(id);
  expect(ids.page('b', 1)).toEqual(['c']);
  expect(ids.page('bb', 10)).toEqual(['c', 'd']);
  expect(ids.page('d', 10)).toEqual([]);
});
