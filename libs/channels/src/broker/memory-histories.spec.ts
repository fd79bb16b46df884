import { expect, it } from 'vitest';
import { MemoryHistories } from './memory-histories.js';

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
