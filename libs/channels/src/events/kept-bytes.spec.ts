import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { settingsOf } from '#common';
import { type App, appFrom } from '../app/app.js';
import type { StoreRoom } from '../broker/broker.js';
import { InProcessBroker } from '../broker/in-process.broker.js';
import { ChannelsApiError } from '../channels.errors.js';
import { ChannelsSettings } from '../channels.options.js';
import { ChannelsMetrics } from '../metrics.js';
import { KeptBytes } from './kept-bytes.js';
import { checkTrigger } from './trigger-request.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const kilobyte = 1000;
const history = [{ channels: 'history-*', seconds: 60, bytes: 20 * kilobyte, events: 10 }];
const [hog, other, third] = ['hog', 'other', 'third'].map((id) => appFrom({ id, key: id, secret: id, history })) as [
  App,
  App,
  App,
];
const metrics = new ChannelsMetrics();
const keptBytes = (keptBytes = 100 * kilobyte, processKeptBytes = 200 * kilobyte, broker = new InProcessBroker()) =>
  new KeptBytes(settingsOf(ChannelsSettings, { limits: { keptBytes, processKeptBytes } }), metrics, broker);

/** Triggers an event of a kilobyte on each channel. @returns whether there was room */
function triggered(kept: KeptBytes, app: App, ...channels: readonly string[]): boolean {
  const { limits } = new ChannelsSettings();
  const event = checkTrigger({ name: 'e', data: 'x'.repeat(kilobyte - 200), channels }, limits);
  try {
    kept.assertRoomFor(app, [event]);
  } catch (error) {
    if (error instanceof ChannelsApiError && error.status === 429) return false;
    throw error;
  }
  const text = kept.textOf(app, event);
  for (const { name, isCache } of event.channels) {
    const bounds = history[0]!;
    const isKept = name.startsWith('history-');
    if (isCache || isKept)
      kept.keep(app.id, name, {
        bytes: kilobyte - 200,
        cacheSeconds: isCache ? 1800 : undefined,
        history: isKept ? bounds : undefined,
        text,
      });
  }
  return true;
}

const cached = (app: App, kept: KeptBytes, count: number, from = 0): number =>
  Array.from({ length: count }, (_, n) => triggered(kept, app, `cache-${from + n}`)).filter(Boolean).length;

it('an app may keep so much, of new channels only, until it expires', () => {
  const kept = keptBytes();
  expect(cached(hog, kept, 200)).toBe(100);
  expect([triggered(kept, hog, 'cache-7'), triggered(kept, hog, 'cache-new'), triggered(kept, hog, 'plain')]).toEqual([
    true,
    false,
    true,
  ]);
  expect(triggered(kept, other, 'cache-new')).toBe(true);
  vi.advanceTimersByTime(1_800_000);
  expect(cached(hog, kept, 200, 1000)).toBe(100);
});

it('a trigger of many channels is taken whole or not at all', () => {
  const kept = keptBytes();
  const channels = (from: number) => Array.from({ length: 60 }, (_, n) => `cache-${from + n}`);
  expect([triggered(kept, hog, ...channels(0)), triggered(kept, hog, ...channels(60))]).toEqual([true, false]);
  expect(cached(hog, kept, 60, 1000)).toBe(40);
});

it('a text that the store keeps once for many cache channels counts once, while one of them has it', () => {
  class SharingBroker extends InProcessBroker {
    override readonly sharesTexts = true;
  }
  const kept = keptBytes(98 * kilobyte, 200 * kilobyte, new SharingBroker());
  const channels = (round: number) => Array.from({ length: 10 }, (_, n) => `cache-${round}-${n}`);
  const rounds = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => triggered(kept, hog, ...channels(from + n))).filter(Boolean).length;
  // 800 bytes, and 200 for each channel.
  expect(rounds(0, 100)).toBe(35);
  expect(triggered(kept, hog, ...channels(0))).toBe(true);
  expect(triggered(kept, hog, ...channels(0).slice(1), 'cache-new')).toBe(false);
  // Its text replaces nothing before the last channel has another.
  const single = channels(0).map((channel) => triggered(kept, hog, channel));
  expect(single).toEqual(Array.from({ length: 10 }, () => false));
  vi.advanceTimersByTime(1_800_000);
  expect([cached(hog, kept, 200), cached(other, kept, 200)]).toEqual([98, 98]);
});

it('a history takes no more than its bounds, however many events it has', () => {
  const kept = keptBytes();
  for (let n = 0; n < 500; n++) expect(triggered(kept, hog, 'history-a')).toBe(true);
  expect(cached(hog, kept, 200)).toBe(100 - 22);
});

it('what a history drops by age is free again', () => {
  const kept = keptBytes();
  for (let n = 0; n < 4; n++)
    expect(triggered(kept, hog, 'history-a', 'history-b', 'history-c', 'history-d')).toBe(true);
  expect(cached(hog, kept, 200)).toBe(84);
  vi.advanceTimersByTime(121_000);
  expect(cached(hog, kept, 200, 1000)).toBe(16);
});

it('while the process keeps too much, the app that keeps most is refused first', () => {
  const kept = keptBytes(100 * kilobyte, 200 * kilobyte);
  expect([cached(hog, kept, 200), cached(other, kept, 60)]).toEqual([100, 60]);
  expect(cached(third, kept, 60)).toBe(50);
  expect([cached(hog, kept, 1, 5000), cached(other, kept, 1, 5000)]).toEqual([0, 0]);
});

it('what the store has room for bounds it too, as it changes', () => {
  class SmallBroker extends InProcessBroker {
    override room: StoreRoom | undefined = { processes: 1, maxBytes: 20 * kilobyte };
  }
  const broker = new SmallBroker();
  const kept = keptBytes(100 * kilobyte, 200 * kilobyte, broker);
  expect(cached(hog, kept, 50)).toBe(10);
  broker.room = undefined;
  expect(cached(hog, kept, 200, 1000)).toBe(90);
});

it('processes that share a store share the limits', () => {
  class SharedBroker extends InProcessBroker {
    override room = { processes: 4 };
  }
  const kept = keptBytes(100 * kilobyte, 200 * kilobyte, new SharedBroker());
  expect([hog, other, third].map((app) => cached(app, kept, 100))).toEqual([25, 25, 12]);
});

it('what the store keeps from before a restart, or for others, leaves less room', () => {
  class FilledBroker extends InProcessBroker {
    override room: StoreRoom = { processes: 2, maxBytes: 200 * kilobyte, freeBytes: 40 * kilobyte };
  }
  const broker = new FilledBroker();
  const kept = keptBytes(100 * kilobyte, 200 * kilobyte, broker);
  expect([cached(hog, kept, 100), cached(other, kept, 100), cached(third, kept, 4)]).toEqual([10, 10, 4]);
  broker.room = { ...broker.room, freeBytes: 0 };
  expect([cached(hog, kept, 1, 1000), cached(hog, kept, 1)]).toEqual([0, 1]);
  broker.room = { ...broker.room, freeBytes: 400 * kilobyte };
  expect(cached(hog, kept, 100, 1000)).toBeGreaterThan(30);
});

it('answers and receipts are bounded by app too, and paid back in the time for which they are kept', () => {
  const kept = keptBytes(10 * kilobyte);
  kept.limit('keptReceipts', 86_400);
  const taken = () => {
    let count = 0;
    for (; kept.hasRoom(hog, 'keptReceipts', kilobyte); count++) kept.add(hog, 'keptReceipts', kilobyte);
    return count;
  };
  expect([taken(), kept.hasRoom(other, 'keptReceipts', kilobyte)]).toEqual([10, true]);
  vi.advanceTimersByTime(43_200_000);
  expect(taken()).toBe(5);
});

it('shows what is kept, and counts what was refused', async () => {
  const text = await metrics.registry.metrics();
  expect(text).toMatch(/rookery_channels_held\{what="keptEvents"\} \d+/);
  expect(text).toMatch(/limits_reached_total\{limit="keptBytes"\} [1-9]/);
  expect(text).toMatch(/limits_reached_total\{limit="processKeptBytes"\} [1-9]/);
});
