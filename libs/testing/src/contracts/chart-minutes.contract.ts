import assert from 'node:assert/strict';
import { type ChartMinutes, keptChartMinutes } from '#common';
import { contract } from './contract.js';

const now = 29_000_000;

/** The contract of every ChartMinutes. */
export const describeChartMinutes = contract<ChartMinutes>('ChartMinutes', [
  {
    promise: 'answers what all processes measured from a minute on, the oldest first',
    async test(minutes) {
      assert.deepEqual(await minutes.since(0), []);
      await minutes.keep({ minute: now + 1, node: 'a', figures: '{"n":2}' });
      await minutes.keep({ minute: now, node: 'a', figures: '{"n":1}' });
      await minutes.keep({ minute: now + 1, node: 'b', figures: '{"n":3}' });
      const found = await minutes.since(now);
      assert.deepEqual(found[0], { minute: now, node: 'a', figures: '{"n":1}' });
      assert.deepEqual(found.map(({ figures }) => figures).toSorted(), ['{"n":1}', '{"n":2}', '{"n":3}']);
      assert.deepEqual((await minutes.since(now + 1)).map(({ node }) => node).toSorted(), ['a', 'b']);
      assert.deepEqual(await minutes.since(now + 2), []);
    },
  },
  {
    promise: 'replaces what a process keeps again',
    async test(minutes) {
      await minutes.keep({ minute: now, node: 'a', figures: '{"n":1}' });
      await minutes.keep({ minute: now, node: 'a', figures: '{"n":2}' });
      assert.deepEqual(await minutes.since(now), [{ minute: now, node: 'a', figures: '{"n":2}' }]);
    },
  },
  {
    promise: 'forgets what is older than a day, of any process',
    async test(minutes) {
      await minutes.keep({ minute: now, node: 'a', figures: '{}' });
      await minutes.keep({ minute: now + 1, node: 'a', figures: '{}' });
      await minutes.keep({ minute: now + keptChartMinutes, node: 'b', figures: '{}' });
      const kept = (await minutes.since(0)).map(({ minute }) => minute);
      assert.deepEqual(kept, [now + 1, now + keptChartMinutes]);
    },
  },
]);
