import { array, assert, integer, property } from 'fast-check';
import { expect, it } from 'vitest';
import { Heap } from './heap.js';

const drain = <Value>(heap: Heap<Value>): Value[] => Array.from({ length: heap.size }, () => heap.pop() as Value);

it('returns everything that was pushed, the smallest first', () => {
  assert(
    property(array(integer()), (numbers) => {
      const heap = new Heap<number>((left, right) => left < right);
      for (const number of numbers) heap.push(number);
      expect(drain(heap)).toEqual([...numbers].sort((left, right) => left - right));
    }),
  );
});

it('keeps its order when pushes and pops alternate', () => {
  const heap = new Heap<number>((left, right) => left < right);
  for (const number of [5, 3, 8]) heap.push(number);
  expect(heap.pop()).toBe(3);
  heap.push(1);
  expect(heap.peek()).toBe(1);
  expect(drain(heap)).toEqual([1, 5, 8]);
});

it('answers undefined when it is empty', () => {
  const heap = new Heap<number>((left, right) => left < right);
  expect(heap.peek()).toBeUndefined();
  expect(heap.pop()).toBeUndefined();
});
