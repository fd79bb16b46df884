import assert from 'node:assert/strict';
import type { SignIns } from '#common';
import { contract } from './contract.js';
import { until } from '../until.js';

/** The contract of every SignIns. */
export const describeSignIns = contract<SignIns>('SignIns', [
  {
    promise: 'finds only sessions that were begun',
    async test(signIns) {
      assert.equal(await signIns.isOpen('one'), false);
      await signIns.begin('one', 60);
      assert.equal(await signIns.isOpen('one'), true);
      assert.equal(await signIns.isOpen('two'), false);
      assert.equal(await signIns.isOpen('ONE'), false);
      assert.equal(await signIns.isOpen('one '), false);
    },
  },
  {
    promise: 'ends one session, even if repeated, and keeps the others',
    async test(signIns) {
      for (const name of ['one', 'two']) await signIns.begin(name, 60);
      for (let times = 0; times < 2; times += 1) {
        await signIns.end('one');
        assert.equal(await signIns.isOpen('one'), false);
      }
      await signIns.end('nobody');
      assert.equal(await signIns.isOpen('two'), true);
    },
  },
  {
    promise: 'ends each session when its own time is over',
    async test(signIns) {
      await signIns.begin('short', 1);
      await signIns.begin('long', 60);
      assert.equal(await signIns.isOpen('short'), true);
      await until(async () => !(await signIns.isOpen('short')), 'the short one is over');
      // The next session triggers the cleanup.
      await signIns.begin('next', 60);
      for (const name of ['long', 'next']) assert.equal(await signIns.isOpen(name), true);
      assert.equal(await signIns.isOpen('short'), false);
    },
  },
  {
    promise: 'renews the time of a session that is begun again',
    async test(signIns) {
      await signIns.begin('one', 1);
      await signIns.begin('one', 60);
      await signIns.begin('other', 1);
      await until(async () => !(await signIns.isOpen('other')), 'the other is over');
      assert.equal(await signIns.isOpen('one'), true);
    },
  },
]);
