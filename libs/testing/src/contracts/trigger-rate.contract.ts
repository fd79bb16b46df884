import type { TriggerRate } from 'rookery/channels';
import { contract } from './contract.js';
import { expect } from './expect.js';

/** What every TriggerRate must keep. */
export const describeTriggerRate = contract<TriggerRate>('TriggerRate', [
  {
    promise: 'never lets through more in any second than the limit, and as many where they come fast enough',
    async test(rate) {
      /** When each was asked for, and when it was answered that it is let through. */
      const taken: { readonly asked: number; readonly answered: number }[] = [];
      const began = performance.now();
      while (taken.length < 5) {
        const asked = performance.now();
        if (await rate.take('app', 3, 1)) taken.push({ asked, answered: performance.now() });
        else await new Promise((resolve) => setTimeout(resolve, 5));
        if (performance.now() - began > 30_000) throw new Error('waited in vain for the fifth');
      }
      // The third after one is a second later at least, whenever between question and answer each was counted.
      for (let i = 3; i < taken.length; i++)
        expect(taken[i]!.answered - taken[i - 3]!.asked).toBeGreaterThanOrEqual(999);
    },
  },
  {
    promise: 'takes all of several events or none, and more than the limit as the limit',
    async test(rate) {
      const tried = async () => {
        const began = performance.now();
        const answers: boolean[] = [];
        for (const events of [3, 3, 2, 1, 0]) answers.push(await rate.take('app', 5, events));
        // A machine may be so slow that the second was over meanwhile.
        return performance.now() - began < 1000 ? answers : undefined;
      };
      let answers: readonly boolean[] | undefined;
      while (!(answers = await tried())) await new Promise((resolve) => setTimeout(resolve, 1001));
      expect(answers).toEqual([true, false, true, false, true]);
      expect(await rate.take('other', 5, 50)).toBe(true);
      expect(await rate.take('app', 0, 1)).toBe(false);
    },
  },
  {
    promise: 'counts each app on its own',
    async test(rate) {
      await rate.take('one', 1, 1);
      expect(await rate.take('two', 1, 1)).toBe(true);
    },
  },
  {
    promise: 'counts events that race',
    async test(rate) {
      const began = performance.now();
      const answers = await Promise.all(Array.from({ length: 40 }, async () => rate.take('app', 20, 1)));
      const seconds = Math.ceil((performance.now() - began) / 1000);
      const taken = answers.filter((isTaken) => isTaken).length;
      expect(taken).toBeGreaterThanOrEqual(20);
      expect(taken).toBeLessThanOrEqual(20 * seconds);
    },
  },
]);
