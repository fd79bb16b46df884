import assert from 'node:assert/strict';
import type { ChannelOccupancy, ChannelRepository, NodeHoldings, Occupancy } from 'rookery/channels';
import { contract } from './contract.js';
import { anyNumber, contains, matches, same } from './assertions.js';

const times = (count: number) => Array.from({ length: count });
const none: NodeHoldings = { channels: [], admitted: [] };

async function countOf(channels: ChannelRepository, channel: string, appId = 'app'): Promise<number> {
  const [count = 0] = await channels.subscriptionCounts(appId, [channel]);
  return count;
}

async function namesOf(channels: ChannelRepository, prefix: string, appId = 'app'): Promise<string[]> {
  const names: string[] = [];
  for await (const page of channels.occupied(appId, prefix)) names.push(...page);
  return [...new Set(names)].sort();
}

/** The contract of every ChannelRepository. */
export const describeChannelRepository = contract<ChannelRepository>('ChannelRepository', [
  {
    promise: 'adds up the counts of the processes, and reports which calls made a channel occupied and vacated',
    async test(channels) {
      const first = await channels.occupy('app', 'news', 'a', 1);
      const version = anyNumber;
      same(first, { count: 1, version, change: { to: 'occupied', version } });
      same(await channels.occupy('app', 'news', 'a', 3), { count: 3, version });
      same(await channels.occupy('app', 'news', 'b', 2), { count: 5, version });
      assert.equal(await countOf(channels, 'news'), 5);
      same(await channels.occupy('app', 'news', 'a', 0), { count: 2, version });
      const last = await channels.occupy('app', 'news', 'b', 0);
      matches(last, { count: 0, change: { to: 'vacated' } });
      assert.ok(last.change!.version > first.change!.version);
      assert.equal(await countOf(channels, 'news'), 0);
      const again = await channels.occupy('app', 'news', 'b', 1);
      assert.equal(again.change?.to, 'occupied');
      assert.ok(again.change.version > last.change!.version);
    },
  },
  {
    promise: 'reports occupied to one process and vacated to one, however many join and leave concurrently',
    async test(channels) {
      const nodes = times(20).map((_, i) => `node-${i}`);
      const joined = await Promise.all(nodes.map((node) => channels.occupy('app', 'news', node, 1)));
      assert.equal(joined.filter(({ change }) => change?.to === 'occupied').length, 1);
      const left = await Promise.all(nodes.map((node) => channels.occupy('app', 'news', node, 0)));
      assert.equal(left.filter(({ change }) => change?.to === 'vacated').length, 1);
    },
  },
  {
    promise: 'gives a repeated call the first answer, and counts it once',
    async test(channels) {
      const occupied = await channels.occupy('app', 'news', 'a', 2);
      expectSame(await channels.occupy('app', 'news', 'a', 2), occupied);
      await channels.occupy('app', 'news', 'b', 1);
      const left = await channels.occupy('app', 'news', 'a', 0);
      expectSame(await channels.occupy('app', 'news', 'a', 0), left);
      const vacated = await channels.occupy('app', 'news', 'b', 0);
      assert.equal(vacated.change?.to, 'vacated');
      expectSame(await channels.occupy('app', 'news', 'b', 0), vacated);
      assert.equal(await countOf(channels, 'news'), 0);
    },
  },
  {
    promise: 'gives a repeated call the number as it is now',
    async test(channels) {
      const { change } = await channels.occupy('app', 'news', 'a', 2);
      const { version } = await channels.occupy('app', 'news', 'b', 3);
      matches(await channels.occupy('app', 'news', 'a', 2), { count: 5, change });
      assert.ok((await channels.occupy('app', 'news', 'a', 2)).version >= version);
    },
  },
  {
    promise: 'gives each number of a channel a greater version than all earlier ones',
    async test(channels) {
      let latest = 0;
      for (const connections of [1, 2, 1, 0, 3]) {
        const { version } = await channels.occupy('app', 'news', 'a', connections);
        assert.ok(version > latest);
        latest = version;
      }
      const [changed] = await channels.announce('a', {
        channels: [{ appId: 'app', channel: 'news', connections: 1 }],
        admitted: [],
      });
      assert.ok(changed!.version > latest);
    },
  },
  {
    promise: 'confirms to only one caller that a channel is vacated, and to none once it is occupied again',
    async test(channels) {
      await channels.occupy('app', 'news', 'a', 1);
      const { version } = (await channels.occupy('app', 'news', 'a', 0)).change!;
      assert.equal(await channels.confirmVacated('app', 'news', version - 1), false);
      assert.equal(await channels.confirmVacated('other', 'news', version), false);
      assert.equal(await channels.confirmVacated('app', 'news', version), true);
      assert.equal(await channels.confirmVacated('app', 'news', version), false);
      assert.equal((await channels.occupy('app', 'news', 'a', 1)).change!.isReturn, undefined);
      const again = (await channels.occupy('app', 'news', 'a', 0)).change!;
      for (let n = 0; n < 2; n++)
        matches((await channels.occupy('app', 'news', 'b', 1)).change, { to: 'occupied', isReturn: true });
      assert.equal(await channels.confirmVacated('app', 'news', again.version), false);
    },
  },
  {
    promise: 'answers which process holds a vacancy, until it is confirmed or the channel is occupied again',
    async test(channels) {
      const isHeld = (version: number, node: string) => channels.holdsVacancy('app', 'news', version, node);
      await channels.occupy('app', 'news', 'a', 1);
      const { version } = (await channels.occupy('app', 'news', 'a', 0)).change!;
      assert.equal(await isHeld(version, 'a'), true);
      assert.equal(await isHeld(version, 'b'), false);
      assert.equal(await isHeld(version - 1, 'a'), false);
      assert.equal(await channels.holdsVacancy('other', 'news', version, 'a'), false);
      await channels.takeOut('a', 'heir');
      assert.equal(await isHeld(version, 'a'), false);
      assert.equal(await isHeld(version, 'heir'), true);
      await channels.confirmVacated('app', 'news', version);
      assert.equal(await isHeld(version, 'heir'), false);
      await channels.occupy('app', 'news', 'b', 1);
      const again = (await channels.occupy('app', 'news', 'b', 0)).change!.version;
      assert.equal(await isHeld(again, 'b'), true);
      await channels.occupy('app', 'news', 'c', 1);
      assert.equal(await isHeld(again, 'b'), false);
    },
  },
  {
    promise: 'does not repeat a change after a later call of the process',
    async test(channels) {
      await channels.occupy('app', 'news', 'a', 1);
      await channels.occupy('app', 'news', 'a', 2);
      same(await channels.occupy('app', 'news', 'a', 2), { count: 2, version: anyNumber });
    },
  },
  {
    promise: 'lists occupied channels by prefix, without vacated ones',
    async test(channels) {
      for (const name of ['presence-a', 'presence-b', 'private-a', 'gone'])
        await channels.occupy('app', name, 'node', 1);
      await channels.occupy('app', 'gone', 'node', 0);
      same(await namesOf(channels, ''), ['presence-a', 'presence-b', 'private-a']);
      same(await namesOf(channels, 'presence-'), ['presence-a', 'presence-b']);
      same(await namesOf(channels, 'nothing-'), []);
    },
  },
  {
    promise: 'lists many channels in short pages',
    async test(channels) {
      for (const [i] of times(2500).entries()) await channels.occupy('app', `c-${i}`, 'node', 1);
      const sizes: number[] = [];
      for await (const page of channels.occupied('app', '')) sizes.push(page.length);
      assert.ok(Math.max(...sizes) <= 1000);
      assert.equal((await namesOf(channels, 'c-')).length, 2500);
    },
  },
  {
    promise: 'answers counts in the requested order',
    async test(channels) {
      await channels.occupy('app', 'one', 'node', 1);
      await channels.occupy('app', 'two', 'node', 2);
      same(await channels.subscriptionCounts('app', ['two', 'none', 'one']), [2, 0, 1]);
      same(await channels.subscriptionCounts('app', []), []);
    },
  },
  {
    promise: 'isolates apps',
    async test(channels) {
      await channels.occupy('one', 'news', 'node', 1);
      await channels.admit('one', 'node', '1.1', 1);
      assert.equal(await countOf(channels, 'news', 'two'), 0);
      same(await namesOf(channels, '', 'two'), []);
      assert.equal(await channels.admit('two', 'node', '1.2', 1), true);
    },
  },
  {
    promise: 'admits connections up to the limit, even concurrently',
    async test(channels) {
      const admitted = await Promise.all(times(20).map((_, i) => channels.admit('app', 'node', `1.${i}`, 5)));
      assert.equal(admitted.filter(Boolean).length, 5);
      await channels.dismiss('app', 'node', `1.${admitted.indexOf(true)}`);
      assert.equal(await channels.admit('app', 'node', '2.1', 5), true);
      assert.equal(await channels.admit('app', 'node', '2.2', 5), false);
      assert.equal(await channels.admit('app', 'node', '2.3', Infinity), true);
    },
  },
  {
    promise: 'counts a connection once, however often it is admitted or dismissed',
    async test(channels) {
      for (let n = 0; n < 2; n++) assert.equal(await channels.admit('app', 'node', '1.1', 2), true);
      assert.equal(await channels.admit('app', 'node', '1.2', 2), true);
      assert.equal(await channels.admit('app', 'node', '1.1', 2), true);
      for (let n = 0; n < 2; n++) await channels.dismiss('app', 'node', '1.1');
      assert.equal(await channels.admit('app', 'node', '1.3', 2), true);
      assert.equal(await channels.admit('app', 'node', '1.4', 2), false);
    },
  },
  {
    promise: 'removes the entries of a dead process and no others, and reports the changes once',
    async test(channels) {
      await channels.occupy('app', 'mine', 'dead', 2);
      await channels.occupy('app', 'ours', 'dead', 1);
      await channels.occupy('app', 'ours', 'alive', 3);
      for (const node of ['alive', 'dead']) await channels.admit('app', node, `1.${node}`, 2);
      const changed = [...(await channels.takeOut('dead', 'heir'))].sort((a, b) => a.channel.localeCompare(b.channel));
      const version = anyNumber;
      same(changed, [
        { appId: 'app', channel: 'mine', count: 0, version, change: { to: 'vacated', version } },
        { appId: 'app', channel: 'ours', count: 3, version },
      ]);
      same(await namesOf(channels, ''), ['ours']);
      assert.equal(await channels.admit('app', 'alive', '1.2', 2), true);
      assert.equal(await channels.admit('app', 'alive', '1.3', 2), false);
      same(await channels.takeOut('dead', 'heir'), []);
    },
  },
  {
    promise: 'answers the unconfirmed changes of a dead process, and again if its heir dies',
    async test(channels) {
      const namesOfVacated = (changes: readonly ChannelOccupancy[]) => changes.map(({ channel }) => channel).toSorted();
      for (const channel of ['news', 'sports', 'weather']) await channels.occupy('app', channel, 'dead', 1);
      const vacated = await channels.occupy('app', 'news', 'dead', 0);
      await channels.occupy('app', 'sports', 'dead', 0);
      await channels.occupy('app', 'sports', 'alive', 1);
      same(namesOfVacated(await channels.takeOut('dead', 'heir')), ['news', 'weather']);
      const inherited = await channels.takeOut('heir', 'another');
      same(namesOfVacated(inherited), ['news', 'weather']);
      contains(inherited, { appId: 'app', channel: 'news', ...vacated });
      assert.equal(await channels.confirmVacated('app', 'news', vacated.change!.version), true);
      same(namesOfVacated(await channels.takeOut('another', 'last')), ['weather']);
    },
  },
  {
    promise: 'replaces the entries of a process by what it announces',
    async test(channels) {
      await channels.occupy('app', 'kept', 'node', 2);
      await channels.occupy('app', 'gone', 'node', 1);
      await channels.admit('app', 'node', '1.1', 9);
      const held = { appId: 'app', channel: 'new', connections: 3 };
      const changed = await channels.announce('node', {
        channels: [{ appId: 'app', channel: 'kept', connections: 2 }, held],
        admitted: [{ appId: 'app', connectionId: '1.2' }],
      });
      same(changed.map(({ channel, count, change }) => `${channel} ${count} ${change?.to}`).toSorted(), [
        'gone 0 vacated',
        'new 3 occupied',
      ]);
      same(await channels.subscriptionCounts('app', ['kept', 'gone', 'new']), [2, 0, 3]);
      assert.equal(await channels.admit('app', 'other', '1.3', 1), false);
      assert.equal(await channels.admit('app', 'other', '1.3', 2), true);
    },
  },
  {
    promise: 'restores the entries of a process that was wrongly removed, and reports each once',
    async test(channels) {
      await channels.occupy('app', 'news', 'paused', 1);
      await channels.takeOut('paused', 'heir');
      const holdings = { ...none, channels: [{ appId: 'app', channel: 'news', connections: 1 }] };
      const changed = await channels.announce('paused', holdings);
      matches(changed, [{ channel: 'news', count: 1, change: { to: 'occupied' } }]);
      same(await channels.announce('paused', holdings), []);
      assert.equal(await countOf(channels, 'news'), 1);
    },
  },
]);

/** The version may be greater: the number is as it is now. */
function expectSame(repeated: Occupancy, first: Occupancy): void {
  same({ ...repeated, version: 0 }, { ...first, version: 0 });
  assert.ok(repeated.version >= first.version);
}
