import type { SignIns } from 'rookery/common';
import { contract } from './contract.js';
import { expect } from './expect.js';
import { until } from '../until.js';

/** The contract of every SignIns. */
export const describeSignIns = contract<SignIns>('SignIns', [
  {
    promise: 'finds only sessions that were begun',
    async test(signIns) {
      expect(await signIns.isOpen('one')).toBe(false);
      await signIns.begin('one', 60);
      expect(await signIns.isOpen('one')).toBe(true);
      expect(await signIns.isOpen('two')).toBe(false);
      expect(await signIns.isOpen('ONE')).toBe(false);
      expect(await signIns.isOpen('one ')).toBe(false);
    },
  },
  {
    promise: 'ends one session, even if repeated, and keeps the others',
    async test(signIns) {
      for (const name of ['one', 'two']) await signIns.begin(name, 60);
      for (let times = 0; times < 2; times += 1) {
        await signIns.end('one');
        expect(await signIns.isOpen('one')).toBe(false);
      }
      await signIns.end('nobody');
      expect(await signIns.isOpen('two')).toBe(true);
    },
  },
  {
    promise: 'ends each session when its own time is over',
    async test(signIns) {
      await signIns.begin('short', 1);
      await signIns.begin('long', 60);
      expect(await signIns.isOpen('short')).toBe(true);
      await until(async () => !(await signIns.isOpen('short')), 'the short one is over');
      // The next session triggers the cleanup.
      await signIns.begin('next', 60);
      for (const name of ['long', 'next']) expect(await signIns.isOpen(name)).toBe(true);
      expect(await signIns.isOpen('short')).toBe(false);
    },
  },
  {
    promise: 'renews the time of a session that is begun again',
    async test(signIns) {
      await signIns.begin('one', 1);
      await signIns.begin('one', 60);
      await signIns.begin('other', 1);
      await until(async () => !(await signIns.isOpen('other')), 'the other is over');
      expect(await signIns.isOpen('one')).toBe(true);
    },
  },
]);
