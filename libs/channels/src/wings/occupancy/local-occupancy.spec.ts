import { expect, it, vi } from 'vitest';
import { ThisNode } from '#common';
import { appFrom } from '../../app/app.js';
import type { ChannelRepository, Occupancy } from '../../storage/channel.repository.js';
import { MemoryChannelRepository } from '../../storage/memory-channel.repository.js';
import type { ChannelNotifier } from '../channel-notifier.js';
import { LocalOccupancy } from './local-occupancy.js';

const app = appFrom({ id: '1', key: 'k', secret: 's' });
const soon = () => new Promise((resolve) => setImmediate(resolve));

/** The occupancy of one process, on a store that is asked at once and whose answers arrive when a test lets them. */
function start() {
  const store = new MemoryChannelRepository();
  const onTheWay: (() => void)[] = [];
  const remote: Pick<ChannelRepository, 'occupy'> = {
    occupy: (...call) => {
      const answer = store.occupy(...call);
      return new Promise<Occupancy>((resolve) => onTheWay.push(() => resolve(answer)));
    },
  };
  const notifier: Pick<ChannelNotifier, 'occupancy'> = { occupancy: () => {} };
  const occupancy = new LocalOccupancy(remote as ChannelRepository, new ThisNode(), notifier as ChannelNotifier);
  const arrive = async (): Promise<void> => {
    for (const answer of onTheWay.splice(0)) answer();
    await soon();
  };
  return { store, occupancy, arrive };
}

it('is answered anew to a first connection, which has heard of no earlier change', async () => {
  const { store, occupancy, arrive } = start();
  const first = occupancy.enter(app, 'news');
  await arrive();
  expect(await first).toMatchObject({ count: 1 });

  const again = occupancy.reportAgain(app.id, 'news');
  const left = occupancy.leave(app, 'news');
  const others = store.occupy(app.id, 'news', 'another process', 1);
  const returned = occupancy.enter(app, 'news');
  await arrive();
  await arrive();
  expect(await returned).toEqual({ count: 2, version: others.version });
  await Promise.all([again, left]);
});

it('repeats a report that failed until it is answered, and hurries again after that', async () => {
  vi.useFakeTimers();
  try {
    const store = new MemoryChannelRepository();
    const calls: number[] = [];
    let failures = 0;
    const occupy: ChannelRepository['occupy'] = (...call) => {
      calls.push(performance.now());
      if (failures-- > 0) throw new Error('the store is away');
      return store.occupy(...call);
    };
    const notifier = { occupancy: () => {} } as unknown as ChannelNotifier;
    const occupancy = new LocalOccupancy({ occupy } as unknown as ChannelRepository, new ThisNode(), notifier);
    // It stays.
    await occupancy.enter(app, 'news');
    for (let round = 0; round < 3; round++) {
      await occupancy.enter(app, 'news');
      expect(store.subscriptionCounts(app.id, ['news'])).toEqual([2]);
      calls.length = 0;
      failures = 4;
      expect(() => occupancy.leave(app, 'news')).toThrow('the store is away');
      await vi.advanceTimersByTimeAsync(60_000);
      expect(store.subscriptionCounts(app.id, ['news'])).toEqual([1]);
      expect(calls.map((at) => at - calls[0]!)).toEqual([0, 50, 150, 350, 750]);
    }
  } finally {
    vi.useRealTimers();
  }
});
