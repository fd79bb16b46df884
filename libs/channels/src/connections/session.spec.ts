import { describe, expect, it } from 'vitest';
import { Session } from './session.js';

const unproven = (most: number) => new Session({ appId: '1', key: 'key', id: 'a'.repeat(16) }, most);
const sessionOf = (most: number) => Object.assign(unproven(most), { isProven: true });
const saved = (...channels: string[]) => ({
  socketIds: [],
  positions: channels.map((channel) => [channel, '1'] as const),
});

describe('a session', () => {
  it('keeps at most as many channels as a connection may have, and drops the oldest missed ones first', () => {
    const session = sessionOf(3);
    session.resume(saved('a', 'b', 'c'));
    session.join('d', '5');
    session.join('e', '6');
    expect(['a', 'b', 'c'].map((channel) => session.missedSince(channel))).toEqual([undefined, undefined, '1']);
    expect(new Map(session.takeUnsaved())).toEqual(
      new Map([
        ['a', null],
        ['b', null],
        ['c', '1'],
        ['d', '5'],
        ['e', '6'],
      ]),
    );
  });

  it('restores at most that many saved channels', () => {
    const session = sessionOf(2);
    session.resume(saved('a', 'b', 'c'));
    expect(session.missedSince('a')).toBeUndefined();
    expect(session.missedSince('c')).toBe('1');
    expect(new Map(session.takeUnsaved())).toEqual(
      new Map([
        ['a', null],
        ['b', '1'],
        ['c', '1'],
      ]),
    );
  });

  it('changes nothing before its client is proven, and then confirms everything', () => {
    const session = unproven(2);
    session.resume(saved('a', 'b'));
    expect([session.hasUnsaved, session.takeUnsaved()]).toEqual([false, []]);
    session.isProven = true;
    expect([session.hasUnsaved, session.takeUnsaved()]).toEqual([true, saved('a', 'b').positions]);
  });

  it('vouches for no channel that was not saved when the store forgot its connections, until the client answers', () => {
    const session = sessionOf(10);
    session.join('saved', '5');
    session.wasSaved({ positions: session.takeUnsaved() });
    session.join('fresh', '6');
    session.forgotten();
    session.join('later', '7');
    expect(new Map(session.takeUnsaved())).toEqual(
      new Map([
        ['saved', '5'],
        ['fresh', '-6'],
        ['', '-'],
        ['later', '-7'],
      ]),
    );

    session.pinged()!();
    expect(session.takeUnsaved()).toEqual([
      ['fresh', '6'],
      ['later', '7'],
    ]);
  });

  it('does not accumulate left channels while saving fails', () => {
    const session = sessionOf(10);
    for (let i = 0; i < 1000; i++) {
      session.join(`channel-${i}`, '1');
      session.leave(`channel-${i}`);
    }
    const unsaved = session.takeUnsaved();
    expect(unsaved.length).toBeLessThanOrEqual(20);
    expect(unsaved.at(-1)).toEqual(['channel-999', null]);
  });
});
