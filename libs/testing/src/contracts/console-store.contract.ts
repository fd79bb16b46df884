import assert from 'node:assert/strict';
import {
  type ConsoleStore,
  keptChartMinutes,
  keptHealths,
  keptTraceCharacters,
  keptTraceMs,
} from 'rookery/internal/common';
import { contract } from './contract.js';
import { until } from '../until.js';

const now = 29_000_000;

/** The contract of every ConsoleStore. */
export const describeConsoleStore = contract<ConsoleStore>('ConsoleStore', [
  {
    promise: 'finds only sessions that were begun',
    async test(store) {
      assert.equal(await store.hasSession('one'), false);
      await store.beginSession('one', 60);
      assert.equal(await store.hasSession('one'), true);
      assert.equal(await store.hasSession('two'), false);
      assert.equal(await store.hasSession('ONE'), false);
      assert.equal(await store.hasSession('one '), false);
    },
  },
  {
    promise: 'ends one session, even if repeated, and keeps the others',
    async test(store) {
      for (const name of ['one', 'two']) await store.beginSession(name, 60);
      for (let times = 0; times < 2; times += 1) {
        await store.endSession('one');
        assert.equal(await store.hasSession('one'), false);
      }
      await store.endSession('nobody');
      assert.equal(await store.hasSession('two'), true);
    },
  },
  {
    promise: 'ends each session when its own time is over',
    async test(store) {
      await store.beginSession('short', 1);
      await store.beginSession('long', 60);
      assert.equal(await store.hasSession('short'), true);
      await until(async () => !(await store.hasSession('short')), 'the short one is over', 10_000);
      // The next session triggers the cleanup.
      await store.beginSession('next', 60);
      for (const name of ['long', 'next']) assert.equal(await store.hasSession(name), true);
      assert.equal(await store.hasSession('short'), false);
    },
  },
  {
    promise: 'renews the time of a session that is begun again',
    async test(store) {
      await store.beginSession('one', 1);
      await store.beginSession('one', 60);
      await store.beginSession('other', 1);
      await until(async () => !(await store.hasSession('other')), 'the other is over', 10_000);
      assert.equal(await store.hasSession('one'), true);
    },
  },
  {
    promise: 'answers what all processes measured from a minute on, the oldest first',
    async test(store) {
      assert.deepEqual(await store.minutesSince(0), []);
      await store.keepMinute({ minute: now + 1, node: 'a', figures: '{"n":2}' });
      await store.keepMinute({ minute: now, node: 'a', figures: '{"n":1}' });
      await store.keepMinute({ minute: now + 1, node: 'b', figures: '{"n":3}' });
      const found = await store.minutesSince(now);
      assert.deepEqual(found[0], { minute: now, node: 'a', figures: '{"n":1}' });
      assert.deepEqual(found.map(({ figures }) => figures).toSorted(), ['{"n":1}', '{"n":2}', '{"n":3}']);
      assert.deepEqual((await store.minutesSince(now + 1)).map(({ node }) => node).toSorted(), ['a', 'b']);
      assert.deepEqual(await store.minutesSince(now + 2), []);
    },
  },
  {
    promise: 'replaces what a process keeps again',
    async test(store) {
      await store.keepMinute({ minute: now, node: 'a', figures: '{"n":1}' });
      await store.keepMinute({ minute: now, node: 'a', figures: '{"n":2}' });
      assert.deepEqual(await store.minutesSince(now), [{ minute: now, node: 'a', figures: '{"n":2}' }]);
    },
  },
  {
    promise: 'answers blocks of traces, if it keeps them, by their ends, the latest first, page by page, for a day',
    async test(store) {
      if (!store.keepsTraces) return assert.deepEqual(await store.traceBlocks(undefined, 9), []);
      const at = Date.now();
      const block = (node: string, until: number, text = `${node} ${until}`) => {
        return { node, since: at + until - 5, until: at + until, hasGap: until === 2, text };
      };
      const blocks = [block('a', 1), block('b', 1), block('a', 2), block('b', 3)];
      for (const each of blocks) await store.keepTrace(each);
      const [latest, ...page] = await store.traceBlocks(undefined, 2);
      assert.deepEqual([latest, ...page], [blocks[3], blocks[2]]);
      const rest = await store.traceBlocks(page[0], 9);
      assert.deepEqual(rest.map(({ node }) => node).toSorted(), ['a', 'b']);
      assert.deepEqual(await store.traceBlocks(rest[1], 9), []);
      for (let n = 0; n < 20; n++) await store.keepTrace(block('c', keptTraceMs + 2 + n));
      const kept = await store.traceBlocks(undefined, 99);
      assert.ok(kept.every(({ until }) => until > at + 2 + 9));
    },
  },
  {
    promise: 'keeps so many characters of traces, the latest',
    async test(store) {
      if (!store.keepsTraces) return;
      const at = Date.now();
      const text = 'x'.repeat(keptTraceCharacters / 8);
      for (let n = 1; n <= 30; n++) await store.keepTrace({ node: 'a', since: at, until: at + n, hasGap: false, text });
      const kept = (await store.traceBlocks(undefined, 99)).map(({ until }) => until - at);
      assert.ok(kept.length >= 8 && kept.length < 20, `${kept.length} are kept`);
      assert.deepEqual(
        kept,
        Array.from(kept, (_, index) => 30 - index),
      );
    },
  },
  {
    promise: 'answers how each endpoint answered last, if it keeps that, whoever kept it first',
    async test(store) {
      if (!store.keepsHealths) return assert.deepEqual(await store.healths(), []);
      assert.deepEqual(await store.healths(), []);
      const health = (owner: string, url: string, at: number) => ({ owner, url, at, text: `{"${url}":${at}}` });
      const [own, other, ofOther] = [health('1', 'a', now + 2), health('1', 'b', now), health('2', 'a', now)];
      for (const each of [health('1', 'a', now), own, other, ofOther]) await store.keepHealth(each);
      await store.keepHealth(health('1', 'a', now + 1));
      const inOrder = (await store.healths()).toSorted((one, next) => (one.text < next.text ? 1 : -1));
      assert.deepEqual(new Set(inOrder), new Set([own, other, ofOther]));
      const again = { ...own, text: 'again' };
      await store.keepHealth(again);
      assert.ok((await store.healths()).some(({ text }) => text === 'again'));
    },
  },
  {
    promise: 'keeps about so many endpoints, those that were tried last',
    async test(store) {
      if (!store.keepsHealths) return;
      for (let n = 1; n <= keptHealths + 200; n++) await store.keepHealth({ owner: '1', url: `${n}`, at: n, text: '' });
      const kept = (await store.healths()).map(({ at }) => at);
      assert.ok(kept.length >= keptHealths && kept.length < keptHealths + 100, `${kept.length} are kept`);
      assert.equal(Math.max(...kept), keptHealths + 200);
      assert.equal(Math.min(...kept), keptHealths + 201 - kept.length);
    },
  },
  {
    promise: 'forgets what is older than a day, of any process',
    async test(store) {
      await store.keepMinute({ minute: now, node: 'a', figures: '{}' });
      await store.keepMinute({ minute: now + 1, node: 'a', figures: '{}' });
      await store.keepMinute({ minute: now + keptChartMinutes, node: 'b', figures: '{}' });
      const kept = (await store.minutesSince(0)).map(({ minute }) => minute);
      assert.deepEqual(kept, [now + 1, now + keptChartMinutes]);
    },
  },
]);
