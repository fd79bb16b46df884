import { expect, it } from 'vitest';
import { usedBytes } from '../../../../test/support/memory.js';
import { MemoryChannelRepository } from './memory-channel.repository.js';

const channelOf = (n: number): string => `${n}`.padEnd(200, 'x');

/** Enters and leaves channels, one after the other, and answers the versions at which they were vacated. */
const pass = (channels: MemoryChannelRepository, count: number): readonly number[] =>
  Array.from({ length: count }, (_, n) => {
    channels.occupy('app', channelOf(n), 'node', 1);
    return channels.occupy('app', channelOf(n), 'node', 0).change!.version;
  });

it('keeps little of channels that a client has left, however many they are', () => {
  const channels = new MemoryChannelRepository();
  const before = usedBytes();
  pass(channels, 150_000);
  expect((usedBytes() - before) / 1024 / 1024).toBeLessThan(48);
  expect(channels.subscriptionCounts('app', [channelOf(0)])).toEqual([0]);
});

it('still holds a vacancy that it forgot among many, until the channel is occupied again', () => {
  const channels = new MemoryChannelRepository();
  const [first = 0, second = 0] = pass(channels, 90_000);
  const isHeld = (n: number, version: number) => channels.holdsVacancy('app', channelOf(n), version, 'node');
  expect([isHeld(0, first), isHeld(1, second)]).toEqual([true, true]);
  expect(channels.confirmVacated('app', channelOf(0), first)).toBe(true);
  channels.occupy('app', channelOf(1), 'node', 1);
  expect(isHeld(1, second)).toBe(false);
  expect(channels.confirmVacated('app', channelOf(1), second)).toBe(false);
});

it('keeps the vacancies of other apps', () => {
  const channels = new MemoryChannelRepository();
  channels.occupy('quiet', 'news', 'node', 1);
  const { version } = channels.occupy('quiet', 'news', 'node', 0).change!;
  pass(channels, 90_000);
  expect(channels.holdsVacancy('quiet', 'news', version, 'node')).toBe(true);
  expect(channels.occupy('quiet', 'news', 'node', 1).change).toMatchObject({ to: 'occupied', isReturn: true });
});

it.each([
  [0, []],
  [999, [999]],
  [2000, [1000, 1000]],
])('lists %i channels in pages of %j', (count, pages) => {
  const channels = new MemoryChannelRepository();
  for (let n = 0; n < count; n++) channels.occupy('app', `news-${n}`, 'node', 1);
  channels.occupy('app', 'other', 'node', 1);
  expect([...channels.occupied('app', 'news-')].map(({ length }) => length)).toEqual(pages);
});
