import { describe, expect, it } from 'vitest';
import type { Activity } from '../api/contract.js';
import { everything, matcherOf } from '../api/live-filter.js';
import { LiveBuffer } from './live-buffer.js';

const activity = (id: number, more: Partial<Activity> = {}): Activity => ({
  id: String(id),
  at: id,
  node: 'a',
  kind: 'event',
  channel: 'news',
  ...more,
});
const ids = (buffer: LiveBuffer) => buffer.shown.map(({ id }) => id);

describe('the buffer of activities', () => {
  it('keeps the newest', () => {
    const buffer = new LiveBuffer(3);
    buffer.add([1, 2].map((id) => activity(id)));
    buffer.add([3, 4].map((id) => activity(id)));
    expect(ids(buffer)).toEqual(['2', '3', '4']);
  });

  it('shows what matches, also of earlier activities', () => {
    const buffer = new LiveBuffer();
    buffer.add([activity(1), activity(2, { kind: 'error' })]);
    buffer.filter(matcherOf({ ...everything, kinds: ['error'] }));
    buffer.add([activity(3), activity(4, { kind: 'error' })]);
    expect(ids(buffer)).toEqual(['2', '4']);
    buffer.filter(matcherOf(everything));
    expect(ids(buffer)).toEqual(['1', '2', '3', '4']);
  });

  it('does not change while it is paused, and catches up afterwards', () => {
    const buffer = new LiveBuffer(3);
    buffer.add([activity(1)]);
    buffer.hold(true);
    buffer.add([2, 3, 4, 5].map((id) => activity(id)));
    expect([ids(buffer), buffer.waitingCount]).toEqual([['1'], 3]);
    buffer.hold(false);
    expect([ids(buffer), buffer.waitingCount]).toEqual([['3', '4', '5'], 0]);
  });

  it('takes past activities in their order, each once, even while it is paused', () => {
    const buffer = new LiveBuffer();
    buffer.add([activity(5), activity(6)]);
    buffer.hold(true);
    buffer.add([activity(3), activity(5), activity(7)]);
    expect([ids(buffer), buffer.waitingCount]).toEqual([['3', '5', '6'], 1]);
    buffer.hold(false);
    buffer.add([activity(4), activity(7)]);
    expect(ids(buffer)).toEqual(['3', '4', '5', '6', '7']);
    expect([buffer.find('4')?.at, buffer.find('8')]).toEqual([4, undefined]);
  });

  it('does not take again what was cleared', () => {
    const buffer = new LiveBuffer(2);
    buffer.add([1, 2, 3].map((id) => activity(id)));
    buffer.clear();
    buffer.add([activity(3), activity(4)]);
    expect(ids(buffer)).toEqual(['4']);
  });

  it('is empty after it is cleared', () => {
    const buffer = new LiveBuffer();
    buffer.add([activity(1)]);
    buffer.hold(true);
    buffer.add([activity(2)]);
    buffer.clear();
    buffer.hold(false);
    expect(ids(buffer)).toEqual([]);
  });
});

describe('a filter', () => {
  it.each([
    ['news', 'news', true],
    ['ew', 'news-2', true],
    ['NEWS', 'News-2', true],
    ['news', 'old', false],
    ['news*', 'news-2', true],
    ['*-2', 'news-2', true],
    ['a.c', 'abc', false],
    ['presence-*-room', 'presence-a-room', true],
    ['<img (', '<img (', true],
  ])('for channel %j and one named %j: %s', (pattern, channel, seen) =>
    expect(matcherOf({ ...everything, channel: pattern })(activity(1, { channel }))).toBe(seen),
  );

  it.each([
    ['shipped', { name: 'order.Shipped' }],
    ['"id":7', { data: '{"id":7}' }],
    ['forbidden', { message: 'Forbidden' }],
    ['alice', { userId: 'alice' }],
  ])('for the text %j: %j', (text, more) => {
    expect(matcherOf({ ...everything, text })(activity(1, more))).toBe(true);
    expect(matcherOf({ ...everything, text })(activity(1, { name: 'other' }))).toBe(false);
  });

  it('for a channel omits activities without one, and for a socket those of others', () => {
    const { channel: _, ...nowhere } = activity(1);
    expect(matcherOf({ ...everything, channel: '*' })(nowhere)).toBe(false);
    expect(matcherOf({ ...everything, socketId: '1.2' })(activity(1, { socketId: '1.3' }))).toBe(false);
    expect(matcherOf({ ...everything, socketId: '1.2' })(activity(1, { socketId: '1.2' }))).toBe(true);
  });
});
