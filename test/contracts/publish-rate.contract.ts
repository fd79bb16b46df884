import { expect } from 'vitest';
import type { PublishRate } from 'rookery/publish';
import type { Promised } from './contract.js';

const start = 1_700_000_000_000;

async function take(rate: PublishRate, times: number, now = start, instance = 'one', perSecond = 100) {
  const answers: number[] = [];
  for (let count = 0; count < times; count += 1) answers.push(await rate.take(instance, perSecond, now));
  return answers;
}
const allowed = (answers: readonly number[]): number => answers.filter((seconds) => seconds === 0).length;

/** What every PublishRate must keep. */
export const publishRateContract: readonly Promised<PublishRate>[] = [
  {
    promise: 'lets as many through at once as fit a second, then asks to come back in a second',
    async test(rate) {
      expect(await take(rate, 100)).toEqual(Array(100).fill(0));
      expect(await take(rate, 2)).toEqual([1, 1]);
    },
  },
  {
    promise: 'gives a request back after its part of a second, and never more than all',
    async test(rate) {
      await take(rate, 150);
      expect(await take(rate, 3, start + 20)).toEqual([0, 0, 1]);
      expect(allowed(await take(rate, 110, start + 3_600_000))).toBe(100);
    },
  },
  {
    promise: 'counts each instance on its own',
    async test(rate) {
      await take(rate, 101);
      expect(await take(rate, 1, start, 'two')).toEqual([0]);
    },
  },
  {
    promise: 'goes by the rate of each instance',
    async test(rate) {
      expect(allowed(await take(rate, 10, start, 'slow', 2))).toBe(2);
      expect(await take(rate, 2, start + 500, 'slow', 2)).toEqual([0, 1]);
      expect(allowed(await take(rate, 300, start, 'fast', 250))).toBe(250);
    },
  },
  {
    promise: 'counts requests that race',
    async test(rate) {
      const answers = await Promise.all(Array.from({ length: 40 }, async () => rate.take('one', 20, start)));
      expect(allowed(answers)).toBe(20);
    },
  },
  {
    promise: 'does not mind a clock that is behind',
    async test(rate) {
      await take(rate, 100);
      expect(await take(rate, 1, start - 5000)).toEqual([1]);
      expect(await take(rate, 1, start + 1000)).toEqual([0]);
    },
  },
];
