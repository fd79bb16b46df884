import type { ChannelOccupancy, ChannelRepository, NodeHoldings, Occupancy } from 'rookery/channels';
import { contract } from './contract.js';
import { expect } from './expect.js';

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
      const version = expect.any(Number) as number;
      expect(first).toEqual({ count: 1, version, change: { to: 'occupied', version } });
      expect(await channels.occupy('app', 'news', 'a', 3)).toEqual({ count: 3, version });
      expect(await channels.occupy('app', 'news', 'b', 2)).toEqual({ count: 5, version });
      expect(await countOf(channels, 'news')).toBe(5);
      expect(await channels.occupy('app', 'news', 'a', 0)).toEqual({ count: 2, version });
      const last = await channels.occupy('app', 'news', 'b', 0);
      expect(last).toMatchObject({ count: 0, change: { to: 'vacated' } });
      expect(last.change!.version).toBeGreaterThan(first.change!.version);
      expect(await countOf(channels, 'news')).toBe(0);
      const again = await channels.occupy('app', 'news', 'b', 1);
      expect(again.change?.to).toBe('occupied');
      expect(again.change!.version).toBeGreaterThan(last.change!.version);
    },
  },
  {
    promise: 'reports occupied to one process and vacated to one, however many join and leave concurrently',
    async test(channels) {
      const nodes = times(20).map((_, i) => `node-${i}`);
      const joined = await Promise.all(nodes.map((node) => channels.occupy('app', 'news', node, 1)));
      expect(joined.filter(({ change }) => change?.to === 'occupied')).toHaveLength(1);
      const left = await Promise.all(nodes.map((node) => channels.occupy('app', 'news', node, 0)));
      expect(left.filter(({ change }) => change?.to === 'vacated')).toHaveLength(1);
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
      expect(vacated.change?.to).toBe('vacated');
      expectSame(await channels.occupy('app', 'news', 'b', 0), vacated);
      expect(await countOf(channels, 'news')).toBe(0);
    },
  },
  {
    promise: 'gives a repeated call the number as it is now',
    async test(channels) {
      const { change } = await channels.occupy('app', 'news', 'a', 2);
      const { version } = await channels.occupy('app', 'news', 'b', 3);
      expect(await channels.occupy('app', 'news', 'a', 2)).toMatchObject({ count: 5, change });
      expect((await channels.occupy('app', 'news', 'a', 2)).version).toBeGreaterThanOrEqual(version);
    },
  },
  {
    promise: 'gives each number of a channel a greater version than all earlier ones',
    async test(channels) {
      let latest = 0;
      for (const connections of [1, 2, 1, 0, 3]) {
        const { version } = await channels.occupy('app', 'news', 'a', connections);
        expect(version).toBeGreaterThan(latest);
        latest = version;
      }
      const [changed] = await channels.announce('a', {
        channels: [{ appId: 'app', channel: 'news', connections: 1 }],
        admitted: [],
      });
      expect(changed!.version).toBeGreaterThan(latest);
    },
  },
  {
    promise: 'confirms to only one caller that a channel is vacated, and to none once it is occupied again',
    async test(channels) {
      await channels.occupy('app', 'news', 'a', 1);
      const { version } = (await channels.occupy('app', 'news', 'a', 0)).change!;
      expect(await channels.confirmVacated('app', 'news', version - 1)).toBe(false);
      expect(await channels.confirmVacated('other', 'news', version)).toBe(false);
      expect(await channels.confirmVacated('app', 'news', version)).toBe(true);
      expect(await channels.confirmVacated('app', 'news', version)).toBe(false);
      expect((await channels.occupy('app', 'news', 'a', 1)).change!.isReturn).toBeUndefined();
      const again = (await channels.occupy('app', 'news', 'a', 0)).change!;
      for (let n = 0; n < 2; n++)
        expect((await channels.occupy('app', 'news', 'b', 1)).change).toMatchObject({ to: 'occupied', isReturn: true });
      expect(await channels.confirmVacated('app', 'news', again.version)).toBe(false);
    },
  },
  {
    promise: 'does not repeat a change after a later call of the process',
    async test(channels) {
      await channels.occupy('app', 'news', 'a', 1);
      await channels.occupy('app', 'news', 'a', 2);
      expect(await channels.occupy('app', 'news', 'a', 2)).toEqual({ count: 2, version: expect.any(Number) as number });
    },
  },
  {
    promise: 'lists occupied channels by prefix, without vacated ones',
    async test(channels) {
      for (const name of ['presence-a', 'presence-b', 'private-a', 'gone'])
        await channels.occupy('app', name, 'node', 1);
      await channels.occupy('app', 'gone', 'node', 0);
      expect(await namesOf(channels, '')).toEqual(['presence-a', 'presence-b', 'private-a']);
      expect(await namesOf(channels, 'presence-')).toEqual(['presence-a', 'presence-b']);
      expect(await namesOf(channels, 'nothing-')).toEqual([]);
    },
  },
  {
    promise: 'lists many channels in short pages',
    async test(channels) {
      for (const [i] of times(2500).entries()) await channels.occupy('app', `c-${i}`, 'node', 1);
      const sizes: number[] = [];
      for await (const page of channels.occupied('app', '')) sizes.push(page.length);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(1000);
      expect(await namesOf(channels, 'c-')).toHaveLength(2500);
    },
  },
  {
    promise: 'answers counts in the requested order',
    async test(channels) {
      await channels.occupy('app', 'one', 'node', 1);
      await channels.occupy('app', 'two', 'node', 2);
      expect(await channels.subscriptionCounts('app', ['two', 'none', 'one'])).toEqual([2, 0, 1]);
      expect(await channels.subscriptionCounts('app', [])).toEqual([]);
    },
  },
  {
    promise: 'isolates apps',
    async test(channels) {
      await channels.occupy('one', 'news', 'node', 1);
      await channels.admit('one', 'node', '1.1', 1);
      expect(await countOf(channels, 'news', 'two')).toBe(0);
      expect(await namesOf(channels, '', 'two')).toEqual([]);
      expect(await channels.admit('two', 'node', '1.2', 1)).toBe(true);
    },
  },
  {
    promise: 'admits connections up to the limit, even concurrently',
    async test(channels) {
      const admitted = await Promise.all(times(20).map((_, i) => channels.admit('app', 'node', `1.${i}`, 5)));
      expect(admitted.filter(Boolean)).toHaveLength(5);
      await channels.dismiss('app', 'node', `1.${admitted.indexOf(true)}`);
      expect(await channels.admit('app', 'node', '2.1', 5)).toBe(true);
      expect(await channels.admit('app', 'node', '2.2', 5)).toBe(false);
      expect(await channels.admit('app', 'node', '2.3', Infinity)).toBe(true);
    },
  },
  {
    promise: 'counts a connection once, however often it is admitted or dismissed',
    async test(channels) {
      for (let n = 0; n < 2; n++) expect(await channels.admit('app', 'node', '1.1', 2)).toBe(true);
      expect(await channels.admit('app', 'node', '1.2', 2)).toBe(true);
      expect(await channels.admit('app', 'node', '1.1', 2)).toBe(true);
      for (let n = 0; n < 2; n++) await channels.dismiss('app', 'node', '1.1');
      expect(await channels.admit('app', 'node', '1.3', 2)).toBe(true);
      expect(await channels.admit('app', 'node', '1.4', 2)).toBe(false);
    },
  },
  {
    promise: 'removes the entries of a dead process and no others, and reports the changes once',
    async test(channels) {
      await channels.occupy('app', 'mine', 'dead', 2);
      await channels.occupy('app', 'ours', 'dead', 1);
      await channels.occupy('app', 'ours', 'alive', 3);
      await channels.admit('app', 'dead', '1.1', 1);
      const changed = [...(await channels.takeOut('dead', 'heir'))].sort((a, b) => a.channel.localeCompare(b.channel));
      const version = expect.any(Number) as number;
      expect(changed).toEqual([
        { appId: 'app', channel: 'mine', count: 0, version, change: { to: 'vacated', version } },
        { appId: 'app', channel: 'ours', count: 3, version },
      ]);
      expect(await namesOf(channels, '')).toEqual(['ours']);
      expect(await channels.admit('app', 'alive', '1.2', 1)).toBe(true);
      expect(await channels.takeOut('dead', 'heir')).toEqual([]);
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
      expect(namesOfVacated(await channels.takeOut('dead', 'heir'))).toEqual(['news', 'weather']);
      const inherited = await channels.takeOut('heir', 'another');
      expect(namesOfVacated(inherited)).toEqual(['news', 'weather']);
      expect(inherited).toContainEqual({ appId: 'app', channel: 'news', ...vacated });
      expect(await channels.confirmVacated('app', 'news', vacated.change!.version)).toBe(true);
      expect(namesOfVacated(await channels.takeOut('another', 'last'))).toEqual(['weather']);
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
      expect(changed.map(({ channel, count, change }) => `${channel} ${count} ${change?.to}`).toSorted()).toEqual([
        'gone 0 vacated',
        'new 3 occupied',
      ]);
      expect(await channels.subscriptionCounts('app', ['kept', 'gone', 'new'])).toEqual([2, 0, 3]);
      expect(await channels.admit('app', 'other', '1.3', 1)).toBe(false);
      expect(await channels.admit('app', 'other', '1.3', 2)).toBe(true);
    },
  },
  {
    promise: 'restores the entries of a process that was wrongly removed, and reports each once',
    async test(channels) {
      await channels.occupy('app', 'news', 'paused', 1);
      await channels.takeOut('paused', 'heir');
      const holdings = { ...none, channels: [{ appId: 'app', channel: 'news', connections: 1 }] };
      const changed = await channels.announce('paused', holdings);
      expect(changed).toMatchObject([{ channel: 'news', count: 1, change: { to: 'occupied' } }]);
      expect(await channels.announce('paused', holdings)).toEqual([]);
      expect(await countOf(channels, 'news')).toBe(1);
    },
  },
]);

/** The version may be greater: the number is as it is now. */
function expectSame(repeated: Occupancy, first: Occupancy): void {
  expect({ ...repeated, version: 0 }).toEqual({ ...first, version: 0 });
  expect(repeated.version).toBeGreaterThanOrEqual(first.version);
}
