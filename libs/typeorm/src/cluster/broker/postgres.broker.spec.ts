import { afterEach, expect, it, vi } from 'vitest';
import type { Database } from '../../database/database.js';
import type { Membership } from '../nodes/membership.js';
import type { SharedDatabase } from '../shared/shared-database.js';
import { PostgresBroker } from './postgres.broker.js';

afterEach(() => void vi.useRealTimers());

/** A process on a database whose tables are empty. */
function emptyDatabase() {
  const listening = new Set<string>();
  /** What is called when the end of notices has arrived. */
  const ending: (() => void)[] = [];
  const database = {
    keepOpen: () => async () => undefined,
    dataSource: { isInitialized: false },
    read: async () => [{ latest: 1, epoch: 'first', deleted: 0, position: null }],
    execute: async () => [],
    listen: (name: string) => {
      listening.add(name);
      return async () => {
        listening.delete(name);
        await new Promise<void>((resolve) => ending.push(resolve));
      };
    },
  } as unknown as Database;
  const shared = { patiently: (work: () => unknown) => work() } as unknown as SharedDatabase;
  const membership = { settled: Promise.resolve(), alive: 2, isAlone: false } as unknown as Membership;
  return { broker: new PostgresBroker(database, shared, membership), listening, ending };
}

it('keeps the notices of a channel that gets a subscriber while those of others are ended', async () => {
  vi.useFakeTimers();
  const { broker, listening, ending } = emptyDatabase();
  await broker.subscribe('7', 'news');
  await broker.subscribe('7', 'sports');
  expect(listening.size).toBe(2);
  for (const channel of ['news', 'sports']) broker.unsubscribe('7', channel);
  await vi.advanceTimersByTimeAsync(6000);
  // Those of news end, which takes a round trip.
  expect(ending).toHaveLength(1);
  const [ofSports] = listening;
  await broker.subscribe('7', 'sports');
  ending[0]!();
  await vi.advanceTimersByTimeAsync(100);
  expect([...listening]).toEqual([ofSports]);
});
