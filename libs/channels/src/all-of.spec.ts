import { expect, it } from 'vitest';
import { allOf } from './all-of.js';

it('starts every step, even after a failure, and throws the failure', async () => {
  const begun: number[] = [];
  const step = (n: number) => () => {
    begun.push(n);
    if (n % 2 === 0) throw new Error(`${n} failed`);
  };
  await expect(allOf([1, 2, 3, 4].map(step))).rejects.toThrow('Error: 2 failed; Error: 4 failed');
  expect(begun).toEqual([1, 2, 3, 4]);
});

it('takes more steps than a call may have arguments', async () => {
  let taken = 0;
  await allOf(Array.from({ length: 200_000 }, () => () => void taken++));
  expect(taken).toBe(200_000);
});
