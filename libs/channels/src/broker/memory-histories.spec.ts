import { queryObjects } from 'node:v8';
import { afterEach, expect, it, vi } from 'vitest';
import { MemoryHistory } from './memory-history.js';
import { MemoryHistories } from './memory-histories.js';

afterEach(() => vi.useRealTimers());

const bounds = { events: 100, seconds: 60, bytes: 100_000 };
const text = 'x'.repeat(1000);

it('drops the oldest histories of the apps that have most, never those of the others', () => {
  const histories = new MemoryHistories(50_000);
  let position = 0;
  const add = (appId: string, channel: string) =>
    histories.add({ kind: 'event', appId, channel, text }, String((position += 1)).padStart(9, '0'), bounds);
  const kept = (appId: string, channel: string) =>
    histories.page(appId, channel, 1000, undefined, '999999999', true).events.length;
  for (let n = 0; n < 5; n++) add('small', 'a');
  for (let n = 0; n < 100; n++) add('hog', `channel-${n}`);
  expect(kept('small', 'a')).toBe(5);
  expect([kept('hog', 'channel-0'), kept('hog', 'channel-99')]).toEqual([0, 1]);
  for (let n = 0; n < 40; n++) add('small', 'b');
  expect(kept('small', 'a') + kept('small', 'b')).toBeGreaterThanOrEqual(22);
});

it('remembers only so many channels that have no events any more, and takes the others for incomplete', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const histories = new MemoryHistories(1_000_000, 300_000);
  let position = 0;
  const positionOf = (n: number): string => String(n).padStart(9, '0');
  const add = (channel: string) =>
    histories.add({ kind: 'event', appId: 'app', channel, text: 'x' }, positionOf((position += 1)), bounds);
  const isComplete = (channel: string, after: string): boolean =>
    histories.page('app', channel, 10, after, positionOf(position), true).isComplete;
  add('first');
  for (let n = 0; n < 5000; n++) add(`channel-${n}`);
  const last = positionOf(position);
  vi.advanceTimersByTime(61_000);
  histories.forget();
  expect(queryObjects(MemoryHistory, { format: 'count' })).toBe(0);
  // What it remembers: which events the channel has lost.
  expect([isComplete('channel-4999', last), isComplete('channel-4999', positionOf(position))]).toEqual([true, true]);
  expect([isComplete('channel-4999', positionOf(5000)), isComplete('channel-4990', positionOf(4990))]).toEqual([
    false,
    false,
  ]);
  // What it does not: it has lost events, but which?
  expect([isComplete('first', positionOf(0)), isComplete('first', positionOf(1))]).toEqual([false, false]);
  expect(isComplete('first', last)).toBe(true);
  add('first');
  expect([isComplete('first', positionOf(0)), isComplete('first', last)]).toEqual([false, true]);
});
