import { expect, it } from 'vitest';
import { dropOldest } from './drop-oldest.js';

it('drops what was added first, and no more than it has to', () => {
  const names = new Set(['ann', 'ben', 'cat', 'dan']);
  dropOldest(names, 4);
  expect(names.size).toBe(4);
  dropOldest(names, 2);
  expect([...names]).toEqual(['cat', 'dan']);
  const ages = new Map([
    ['ann', 1],
    ['ben', 2],
  ]);
  dropOldest(ages, 1);
  expect([...ages]).toEqual([['ben', 2]]);
});
