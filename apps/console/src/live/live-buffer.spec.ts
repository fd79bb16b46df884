import { describe, expect, it } from 'vitest';
import type { Happening } from '../api/contract.js';
import { everything, matcherOf } from './filter.js';
import { LiveBuffer } from './live-buffer.js';

const happening = (id: number, more: Partial<Happening> = {}): Happening => ({
  id: String(id),
  at: id,
  node: 'a',
  kind: 'event',
  channel: 'news',
  ...more,
});
const ids = (buffer: LiveBuffer) => buffer.shown.map(({ id }) => id);

describe('what passed', () => {
  it('keeps the newest', () => {
    const buffer = new LiveBuffer(3);
    buffer.add([1, 2].map((id) => happening(id)));
    buffer.add([3, 4].map((id) => happening(id)));
    expect(ids(buffer)).toEqual(['2', '3', '4']);
    expect([buffer.newest(0)?.id, buffer.newest(2)?.id, buffer.newest(3)]).toEqual(['4', '2', undefined]);
  });

  it('shows what is asked for, of what came before too', () => {
    const buffer = new LiveBuffer();
    buffer.add([happening(1), happening(2, { kind: 'error' })]);
    buffer.filter(matcherOf({ ...everything, kinds: ['error'] }));
    buffer.add([happening(3), happening(4, { kind: 'error' })]);
    expect(ids(buffer)).toEqual(['2', '4']);
    buffer.filter(matcherOf(everything));
    expect(ids(buffer)).toEqual(['1', '2', '3', '4']);
  });

  it('stays as it is while it is held, and catches up', () => {
    const buffer = new LiveBuffer(3);
    buffer.add([happening(1)]);
    buffer.hold(true);
    buffer.add([2, 3, 4, 5].map((id) => happening(id)));
    expect([ids(buffer), buffer.waitingCount]).toEqual([['1'], 3]);
    buffer.hold(false);
    expect([ids(buffer), buffer.waitingCount]).toEqual([['3', '4', '5'], 0]);
  });

  it('is empty when it was cleared', () => {
    const buffer = new LiveBuffer();
    buffer.add([happening(1)]);
    buffer.hold(true);
    buffer.add([happening(2)]);
    buffer.clear();
    buffer.hold(false);
    expect(ids(buffer)).toEqual([]);
  });
});

describe('a filter', () => {
  it.each([
    ['news', 'news', true],
    ['news', 'news-2', false],
    ['news*', 'news-2', true],
    ['*-2', 'news-2', true],
    ['a.c', 'abc', false],
    ['presence-*-room', 'presence-a-room', true],
    ['<img (', '<img (', true],
  ])('for channel %j and one named %j: %s', (pattern, channel, seen) =>
    expect(matcherOf({ ...everything, channel: pattern })(happening(1, { channel }))).toBe(seen),
  );

  it('for a channel leaves out what is on none, one for a socket what is of others', () => {
    const { channel: _, ...nowhere } = happening(1);
    expect(matcherOf({ ...everything, channel: '*' })(nowhere)).toBe(false);
    expect(matcherOf({ ...everything, socketId: '1.2' })(happening(1, { socketId: '1.3' }))).toBe(false);
    expect(matcherOf({ ...everything, socketId: '1.2' })(happening(1, { socketId: '1.2' }))).toBe(true);
  });
});
