import { expect, it } from 'vitest';
import { FairMap } from '#common';

const filled = (map: FairMap<number>, holder: string, count: number, from = 0): void => {
  for (let n = from; n < from + count; n++) map.set(holder, `${n}`, n, 10);
};
const keysOf = (map: FairMap<number>, holder: string) => Array.from(map.entries(holder), ([key]) => Number(key));

it('keeps everything while there is room, each key once', () => {
  const map = new FairMap<number>(100);
  filled(map, 'one', 5);
  filled(map, 'one', 5);
  filled(map, 'two', 5);
  expect([map.bytes, map.count('one'), map.get('one', '4'), map.get('two', '5')]).toEqual([100, 5, 4, undefined]);
});

it('drops the oldest of the holder that has most, never those of the others', () => {
  const map = new FairMap<number>(1000);
  filled(map, 'small', 5);
  filled(map, 'hog', 500);
  expect(keysOf(map, 'small')).toEqual([0, 1, 2, 3, 4]);
  expect(keysOf(map, 'hog').at(-1)).toBe(499);
  expect(map.bytes).toBeLessThanOrEqual(1000);
  filled(map, 'small', 60, 5);
  expect(map.count('small')).toBeGreaterThanOrEqual(40);
  expect(map.count('hog')).toBeGreaterThanOrEqual(40);
});

it('counts what has grown, what was replaced and what was deleted', () => {
  const map = new FairMap<number>(100);
  map.set('one', 'a', 1, 50);
  map.set('one', 'b', 2, 10);
  map.grow('one', 'b', 30);
  map.grow('one', 'unknown', 30);
  map.set('one', 'a', 3, 20);
  expect([map.bytes, keysOf(map, 'one').length, map.get('one', 'a')]).toEqual([60, 2, 3]);
  map.forget((value) => value === 3);
  map.delete('one', 'unknown');
  expect([map.bytes, map.count('one')]).toEqual([40, 1]);
  map.grow('one', 'b', 100);
  expect([map.bytes, map.count('one')]).toEqual([0, 0]);
});
