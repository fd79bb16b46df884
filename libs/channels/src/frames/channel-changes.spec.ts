import { beforeEach, describe, expect, it, vi } from 'vitest';
import { memberAdded, memberRemoved } from '../protocol/frames.js';
import { ChannelChanges, flapWindowMs } from './channel-changes.js';
import { Frame } from './frame.js';

let changes: ChannelChanges;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  changes = new ChannelChanges('presence-room');
});

/** The frame of a change after the one before it; each is the last of its user. */
function change(version: number, isPresent: boolean, previous: number | undefined, userId = 'ann', info = '{}'): Frame {
  const text = isPresent ? memberAdded('presence-room', userId, info) : memberRemoved('presence-room', userId);
  return new Frame({ text, change: { userId, isPresent, version, previous } }, '~');
}
/** Takes in the frames; when each is due. */
const admit = (...frames: readonly Frame[]) => frames.map((frame) => changes.admit(frame, true));
const came = () => change(1, true, undefined);

/** Ann is known to all, and what was due is sent. */
function known(): void {
  admit(came());
  changes.takeDue([]);
}

describe('the change of a member', () => {
  it('is due now, and later if the member has just changed', () => {
    expect(admit(came(), change(2, false, 1), change(1, true, undefined, 'ben'))).toEqual(['now', 'later', 'now']);
    vi.advanceTimersByTime(flapWindowMs - 1);
    expect(admit(change(3, true, 2))).toEqual(['later']);
    vi.advanceTimersByTime(flapWindowMs);
    expect(admit(change(4, false, 3))).toEqual(['now']);
  });

  it('is never due once a newer one of the same member came first', () => {
    expect(admit(came(), change(3, true, 2), change(2, false, 1))).toEqual(['now', 'later', 'never']);
  });

  it('of the number of connections, which is of no member, is due now', () => {
    const count = (version: number) => change(version, true, version - 1, '');
    expect(admit(count(1), count(2))).toEqual(['now', 'now']);
  });

  it('is taken with other frames, which are due now', () => {
    const event = new Frame({ text: '{}' }, '1');
    expect(admit(event)).toEqual(['now']);
    changes.sentAhead(event);
    expect(changes.takeDue([event])).toEqual([event]);
  });
});

describe('a departure and a return that are due together', () => {
  const both = () => [change(2, false, 1), change(3, true, 2)] as const;

  it('cancel each other, and the return is for those whose roster is from in between', () => {
    known();
    const [left, back] = both();
    admit(left, back);
    expect([left.isCancelled, back.isCancelled, back.reversals]).toEqual([true, false, [2, 3]]);
    expect(changes.takeDue([left, back])).toEqual([back]);
    // Another round begins without them.
    const again = change(4, false, 3);
    admit(again);
    expect([changes.takeDue([again]), again.reversals]).toEqual([[again], undefined]);
  });

  it('are followed by another departure, which stands for all three', () => {
    known();
    const [left, back] = both();
    const gone = change(4, false, 3);
    admit(left, back, gone);
    expect([left, back, gone].map(({ isCancelled }) => isCancelled)).toEqual([true, true, false]);
    expect(gone.reversals).toEqual([2, 3, 4]);
    expect(changes.takeDue([left, back, gone])).toEqual([gone]);
  });

  it.each<[string, () => readonly Frame[]]>([
    ['the member returns as another', () => [change(2, false, 1), change(3, true, 2, 'ann', '{"name":"Ann"}')]],
    ['a change in between is missing', () => [change(2, false, 1), change(4, true, 3)]],
    ['an earlier change is missing', () => [change(3, false, 2), change(4, true, 3)]],
    ['it is not known which change came before', () => [change(2, false, undefined), change(3, true, 2)]],
    ['they are of two members', () => [change(2, false, 1), change(3, true, 2, 'ben')]],
  ])('are both sent where %s', (_, frames) => {
    known();
    const all = frames();
    admit(...all);
    expect(changes.takeDue(all)).toEqual(all);
  });

  it('are both sent where a connection was sent the departure ahead', () => {
    known();
    const [left, back] = both();
    admit(left);
    changes.sentAhead(left);
    admit(back);
    expect(changes.takeDue([left, back])).toEqual([left, back]);
  });

  it('are both sent where the member was only known from a roster', () => {
    changes.members.learn({ members: [{ userId: 'ann', userInfoJson: '{}', since: 1 }], version: 1 });
    const [left, back] = both();
    // A member of a roster is not restless.
    expect(admit(left, back)).toEqual(['now', 'later']);
    expect(changes.takeDue([left, back])).toEqual([left, back]);
  });

  it('do not cancel each other where the channel had no connection at the departure', () => {
    known();
    const [left, back] = both();
    changes.admit(left, false);
    admit(back);
    expect([left.isCancelled, back.reversals]).toEqual([false, undefined]);
  });

  it('leave a third change alone once one is missing', () => {
    known();
    const frames = [change(2, false, 1), change(4, true, 3), change(5, false, 4), change(6, true, 5)] as const;
    admit(...frames);
    expect(frames.map(({ isCancelled }) => isCancelled)).toEqual([false, false, true, false]);
  });
});
