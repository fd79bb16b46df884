import { expect, it } from 'vitest';
import { SendSlots } from './send-slots.js';

it('gives out what is free at once, without a promise', () => {
  const slots = new SendSlots(2);
  expect([slots.take(), slots.take()]).toEqual([undefined, undefined]);
  expect(slots.take()).toBeInstanceOf(Promise);
});

it('serves those who wait in the order in which they came', async () => {
  const slots = new SendSlots(1);
  expect(slots.take()).toBeUndefined();
  const served: number[] = [];
  const waiting = [1, 2, 3].map((number) => Promise.resolve(slots.take()).then(() => served.push(number)));
  for (let given = 0; given < 3; given += 1) slots.give();
  await Promise.all(waiting);
  expect(served).toEqual([1, 2, 3]);
});

it('never gives out more than it has, however many come and go', async () => {
  const slots = new SendSlots(5);
  let [taken, peak] = [0, 0];
  const sender = async () => {
    for (let turn = 0; turn < 200; turn += 1) {
      await slots.take();
      peak = Math.max(peak, (taken += 1));
      await Promise.resolve();
      taken -= 1;
      slots.give();
    }
  };
  await Promise.all(Array.from({ length: 50 }, sender));
  expect(peak).toBe(5);
  expect(Array.from({ length: 5 }, () => slots.take())).toEqual(Array(5).fill(undefined));
});
