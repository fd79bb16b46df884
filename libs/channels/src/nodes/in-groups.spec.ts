import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inGroups } from './in-groups.js';

const items = Array.from({ length: 1000 }, (_, n) => n);

it('begins in order, at most 250 at a time', async () => {
  const begun: number[] = [];
  let underWay = 0;
  let most = 0;
  await inGroups(items, async (item) => {
    begun.push(item);
    most = Math.max(most, ++underWay);
    await turn();
    underWay -= 1;
  });
  expect(begun).toEqual(items);
  expect(most).toBe(250);
});

it('tries all, then throws the first failure', async () => {
  const tried: number[] = [];
  const work = async (item: number): Promise<void> => {
    tried.push(item);
    await turn();
    if (item >= 100 && item < 600) throw new Error(`${item} failed`);
  };
  await expect(inGroups(items, work)).rejects.toThrow('100 failed');
  expect(tried).toEqual(items);
});
