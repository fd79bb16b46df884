import assert from 'node:assert/strict';
import type { RequestLimit, RequestRates } from 'rookery/internal/common';
import { contract } from './contract.js';
import { same } from './assertions.js';
import { until } from '../until.js';

/** So slow that nothing is earned back during a test. */
const perHour = (atOnce: number, name = 'one'): RequestLimit => ({ name, perSecond: 1 / 3600, atOnce });

async function take(rates: RequestRates, times: number, ...limits: readonly RequestLimit[]) {
  const answers: number[] = [];
  for (let count = 0; count < times; count += 1) answers.push(await rates.take(limits));
  return answers;
}
const allowed = (answers: readonly number[]): number => answers.filter((seconds) => seconds === 0).length;

/** The contract of every RequestRates. */
export const describeRequestRates = contract<RequestRates>('RequestRates', [
  {
    promise: 'allows a burst, then answers in whole seconds when to retry',
    async test(rates) {
      same(await take(rates, 20, perHour(20)), Array(20).fill(0));
      const [seconds] = await take(rates, 1, perHour(20));
      assert.ok(seconds! > 3000);
      assert.ok(seconds! <= 3600);
      assert.equal(seconds! % 1, 0);
      assert.ok((await take(rates, 10, { name: 'quick', perSecond: 0.9, atOnce: 1 })).includes(2));
    },
  },
  {
    promise: 'regains requests, each after its share of a second, up to the burst',
    async test(rates) {
      const limit = { name: 'one', perSecond: 10, atOnce: 3 };
      same(await take(rates, 3, limit), [0, 0, 0]);
      await until(async () => (await rates.take([limit])) === 0, 'one is earned back', 10_000);
      // Long enough to earn back more than the limit.
      await new Promise((resolve) => setTimeout(resolve, 500));
      const began = performance.now();
      const answers = await take(rates, 9, limit);
      const earned = Math.ceil(((performance.now() - began) / 1000) * limit.perSecond);
      assert.ok(allowed(answers) >= 3);
      assert.ok(allowed(answers) <= 3 + earned);
    },
  },
  {
    promise: 'charges nothing for a refused request',
    async test(rates) {
      const limit = { name: 'one', perSecond: 4, atOnce: 1 };
      await rates.take([limit]);
      // A constantly asking client is still served.
      await until(async () => (await rates.take([limit])) === 0, 'one is earned back', 10_000);
    },
  },
  {
    promise: 'counts each name separately',
    async test(rates) {
      assert.equal(allowed(await take(rates, 4, perHour(3))), 3);
      assert.equal(allowed(await take(rates, 4, perHour(2, 'two'))), 2);
    },
  },
  {
    promise: 'applies all limits in order, and counts nothing after one that is reached',
    async test(rates) {
      const [address, instance] = [perHour(2, 'address'), perHour(3, 'instance')];
      assert.equal(allowed(await take(rates, 5, address, instance)), 2);
      assert.equal(allowed(await take(rates, 5, perHour(9, 'other'), instance)), 1);
    },
  },
  {
    promise: 'counts all events of a request or none, more than the burst as the burst, and returns as many',
    async test(rates) {
      const events = (count: number, name = 'one'): RequestLimit => ({ ...perHour(5, name), count });
      const answers = await Promise.all([3, 3].map(async (count) => rates.take([events(count)])));
      assert.equal(allowed(answers), 1);
      assert.ok(Math.max(...answers) > 3000);
      assert.equal(allowed([...(await take(rates, 1, events(2))), ...(await take(rates, 1, events(1)))]), 1);
      same(await take(rates, 1, events(0)), [0]);
      await rates.giveBack([events(3)]);
      assert.equal(allowed(await take(rates, 4, events(1))), 3);
      same(await take(rates, 1, events(50, 'other')), [0]);
      assert.equal(allowed(await take(rates, 1, events(1, 'other'))), 0);
    },
  },
  {
    promise: 'counts concurrent requests',
    async test(rates) {
      const answers = await Promise.all(Array.from({ length: 40 }, async () => rates.take([perHour(20)])));
      assert.equal(allowed(answers), 20);
    },
  },
  {
    promise: 'returns a request under each limit, and never exceeds the burst',
    async test(rates) {
      const [address, instance] = [perHour(5, 'address'), perHour(4, 'instance')];
      assert.equal(allowed(await take(rates, 5, address, instance)), 4);
      await rates.giveBack([address, instance]);
      assert.equal(allowed(await take(rates, 3, instance)), 1);
      for (let count = 0; count < 9; count += 1) await rates.giveBack([address]);
      assert.equal(allowed(await take(rates, 9, address)), 5);
    },
  },
  {
    promise: 'counts requests that are concurrent with returned ones',
    async test(rates) {
      // Each takes one, and gives it back only if it got it.
      const tries = Array.from({ length: 40 }, async () => {
        if ((await rates.take([perHour(20)])) === 0) await rates.giveBack([perHour(20)]);
      });
      await Promise.all(tries);
      assert.equal(allowed(await take(rates, 25, perHour(20))), 20);
    },
  },
]);
