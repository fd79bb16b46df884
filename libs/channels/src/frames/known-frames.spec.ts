import { beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from '../connections/connection.js';
import { Frame } from './frame.js';
import { type AlreadySent, KnownFrames } from './known-frames.js';

const [alice, bob] = [{} as Connection, {} as Connection];
const history = { seconds: 60 } as never;
const frame = (position: string) => new Frame({ text: '{}' }, position);
const keptFrame = (position: string) => new Frame({ text: '{}', history }, position);
const change = (version: number, more: Partial<Pick<Frame, 'repeats' | 'reversals' | 'isCancelled'>> = {}) =>
  Object.assign(new Frame({ text: '{}', change: { userId: 'ann', isPresent: true, version } }, '~'), more);

let known: KnownFrames;
beforeEach(() => {
  known = new KnownFrames();
});

describe('a frame', () => {
  it.each<[string, boolean, AlreadySent, () => Frame]>([
    ['of a connection that knows nothing', true, {}, () => frame('1')],
    ['after the position of its remembered event', true, { position: '5' }, () => frame('6')],
    ['at the position of its remembered event', false, { position: '5' }, () => frame('5')],
    ['of the history, after what was replayed', true, { replayed: '5' }, () => keptFrame('6')],
    ['of the history, up to what was replayed', false, { replayed: '5' }, () => keptFrame('5')],
    ['outside of the history, before what was replayed', true, { replayed: '5' }, () => frame('4')],
    ['of a change after its roster', true, { version: 5 }, () => change(6)],
    ['of a change that its roster shows', false, { version: 5 }, () => change(5)],
    ['of a change, without a roster', true, { position: '1' }, () => change(5)],
    ['without a change, at any roster', true, { version: 5 }, () => frame('1')],
    ['of a repeated change, with a roster from before it', false, { version: 5 }, () => change(9, { repeats: 5 })],
    ['of a repeated change, with a roster from after it', true, { version: 6 }, () => change(9, { repeats: 5 })],
    ['of a repeated change, without a roster', true, { position: '1' }, () => change(9, { repeats: 5 })],
    ['that is cancelled', false, {}, () => change(9, { isCancelled: true })],
    ['of two opposite changes', false, { version: 5 }, () => change(7, { reversals: [6, 7] })],
    ['of two opposite changes, without a roster', false, {}, () => change(7, { reversals: [6, 7] })],
    ['of the second of two opposite changes', true, { version: 6 }, () => change(7, { reversals: [6, 7] })],
    ['of three opposite changes', true, { version: 5 }, () => change(8, { reversals: [6, 7, 8] })],
  ])('%s is news: %s', (_, isNews, knows, made) => {
    known.remember(alice, knows);
    expect(known.isNews(alice, made())).toBe(isNews);
  });

  it('is news to a connection that was forgotten, and to others', () => {
    known.remember(alice, { version: 5, position: '5' });
    expect(known.isNews(bob, change(5))).toBe(true);
    known.forget(alice);
    expect(known.isNews(alice, change(5))).toBe(true);
  });

  it.each<[string, boolean, () => Frame]>([
    ['is in no roster', true, () => change(8)],
    ['is in a roster', false, () => change(7)],
    ['is after all known positions', true, () => frame('6')],
    ['is at a known position', false, () => frame('5')],
  ])('that %s is new to all: %s', (_, isNew, made) => {
    known.remember(alice, { version: 7, position: '3' });
    known.remember(bob, { version: 6, replayed: '5' });
    known.remember(bob, { position: '4' });
    expect(known.isNewToAll(made())).toBe(isNew);
  });
});

describe('frames that are due together', () => {
  it('may be known to no connection if all are new', () => {
    known.remember(alice, { version: 5, position: '5' });
    const mayKnow = known.mayKnow([frame('6'), change(6)]);
    expect([alice, bob].map(mayKnow)).toEqual([false, false]);
  });

  it('may be known to a connection that knows only the first', () => {
    known.remember(alice, { position: '5' });
    expect(known.mayKnow([frame('5'), frame('6')])(alice)).toBe(true);
  });

  it.each<[string, boolean, AlreadySent]>([
    ['the version of the oldest change', true, { version: 5 }],
    ['an older version', false, { version: 4 }],
    ['the position of the first', true, { position: '3' }],
    ['an older position', false, { position: '2' }],
    ['a replay to the first', true, { replayed: '3' }],
    ['an older replay', false, { replayed: '2' }],
  ])('may be known to a connection with %s: %s', (_, expected, knows) => {
    known.remember(bob, { version: 9, position: '9' });
    known.remember(alice, knows);
    expect(known.mayKnow([frame('3'), change(6), change(5)])(alice)).toBe(expected);
  });
});

describe('positions that were sent to all', () => {
  it('are forgotten, and rosters stay', () => {
    known.remember(alice, { version: 5, position: '5' });
    known.remember(bob, { replayed: '4' });
    known.sent('5');
    expect([known.isNews(alice, frame('5')), known.isNewToAll(frame('1'))]).toEqual([false, false]);
    known.sent('6');
    expect([known.isNews(alice, frame('5')), known.isNews(bob, keptFrame('4'))]).toEqual([true, true]);
    expect([known.isNews(alice, change(5)), known.isNewToAll(frame('1'))]).toEqual([false, true]);
  });
});
