import { expect } from 'vitest';
import type { ChannelRepository } from 'rookery/channels';
import { until } from '../support/until.js';
import type { Promised } from './contract.js';

const times = (count: number) => Array.from({ length: count });

/** What every ChannelRepository must keep. */
export const channelRepositoryContract: readonly Promised<ChannelRepository>[] = [
  {
    promise: 'counts the connections of a channel up from 1 and down to 0',
    async test(channels) {
      expect(await channels.subscribe('app', 'news')).toBe(1);
      expect(await channels.subscribe('app', 'news')).toBe(2);
      expect(await channels.subscriptionCount('app', 'news')).toBe(2);
      expect(await channels.unsubscribe('app', 'news')).toBe(1);
      expect(await channels.unsubscribe('app', 'news')).toBe(0);
      expect(await channels.subscriptionCount('app', 'news')).toBe(0);
      expect(await channels.subscribe('app', 'news')).toBe(1);
    },
  },
  {
    promise: 'answers occupied to one and vacated to one, however many come and go at once',
    async test(channels) {
      const joined = await Promise.all(times(50).map(() => channels.subscribe('app', 'news')));
      expect(joined.filter((count) => count === 1)).toHaveLength(1);
      const left = await Promise.all(times(50).map(() => channels.unsubscribe('app', 'news')));
      expect(left.filter((count) => count === 0)).toHaveLength(1);
    },
  },
  {
    promise: 'lists the occupied channels by prefix, and no longer those that were vacated',
    async test(channels) {
      for (const name of ['presence-a', 'presence-b', 'private-a', 'gone']) await channels.subscribe('app', name);
      await channels.unsubscribe('app', 'gone');
      expect([...(await channels.occupied('app', ''))].sort()).toEqual(['presence-a', 'presence-b', 'private-a']);
      expect([...(await channels.occupied('app', 'presence-'))].sort()).toEqual(['presence-a', 'presence-b']);
      expect(await channels.occupied('app', 'nothing-')).toEqual([]);
    },
  },
  {
    promise: 'keeps apps apart',
    async test(channels) {
      await channels.subscribe('one', 'news');
      await channels.remember('one', 'cache-a', { event: 'e', data: 'd' }, 60);
      await channels.admit('one', 1);
      expect(await channels.subscriptionCount('two', 'news')).toBe(0);
      expect(await channels.occupied('two', '')).toEqual([]);
      expect(await channels.recall('two', 'cache-a')).toBeUndefined();
      expect(await channels.admit('two', 1)).toBe(true);
    },
  },
  {
    promise: 'admits as many connections as the limit says, even when all come at once',
    async test(channels) {
      const admitted = await Promise.all(times(20).map(() => channels.admit('app', 5)));
      expect(admitted.filter(Boolean)).toHaveLength(5);
      await channels.dismiss('app');
      expect(await channels.admit('app', 5)).toBe(true);
      expect(await channels.admit('app', 5)).toBe(false);
      expect(await channels.admit('app', Infinity)).toBe(true);
    },
  },
  {
    promise: 'remembers the last event of a channel, occupied or not, with the seconds it has left',
    async test(channels) {
      await channels.remember('app', 'cache-a', { event: 'first', data: '1' }, 60);
      await channels.remember('app', 'cache-a', { event: 'last', data: '{"é":"\\n"}' }, 60);
      const { ttlSeconds, ...event } = (await channels.recall('app', 'cache-a'))!;
      expect(event).toEqual({ event: 'last', data: '{"é":"\\n"}' });
      expect(Number.isInteger(ttlSeconds) && ttlSeconds > 55 && ttlSeconds <= 60).toBe(true);
      expect(await channels.recall('app', 'cache-b')).toBeUndefined();
    },
  },
  {
    promise: 'forgets an event when its time is over',
    async test(channels) {
      await channels.remember('app', 'cache-a', { event: 'e', data: '1' }, 0.03);
      await until(async () => (await channels.recall('app', 'cache-a')) === undefined, 'the event is forgotten', 2000);
    },
  },
];
