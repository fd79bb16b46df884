import { expect, it } from 'vitest';
import type { Roster } from 'rookery/presence';
import { usedBytes } from '../../../../test/support/memory.js';
import type { MemberChange } from '../broker/broker.js';
import { memberAdded, memberRemoved } from '../protocol/frames.js';
import { Frame } from './frame.js';
import { KnownMembers } from './known-members.js';

const channel = 'presence-room';
const [ann, ben] = [
  { userId: 'ann', since: 1 },
  { userId: 'ben', since: 2 },
];

/** Whether subscribers are told of it. */
function isTold(known: KnownMembers, userId: string, isPresent: boolean, version: number): boolean {
  const text = isPresent ? memberAdded(channel, userId, undefined) : memberRemoved(channel, userId);
  const change: MemberChange = { userId, isPresent, version };
  return known.record(new Frame({ text, change }, ''), change, known.latestOf(userId)) !== undefined;
}

it('subscribers are told what a roster shows that they do not know, and then of no earlier change', () => {
  const known = new KnownMembers(channel);
  known.learn({ members: [ann], version: 4 });
  const missing = known.missingChanges({ members: [ben], version: 7 });
  expect(missing).toEqual([
    { userId: 'ben', isPresent: true, version: 7 },
    { userId: 'ann', isPresent: false, version: 7 },
  ]);
  expect(missing.map(({ userId, isPresent, version }) => isTold(known, userId, isPresent, version))).toEqual([
    true,
    true,
  ]);
  expect([isTold(known, 'ann', true, 5), isTold(known, 'dan', true, 6)]).toEqual([false, false]);
  expect(isTold(known, 'ben', false, 8)).toBe(true);
});

it('they are not told late that a member had left who is back on the roster', () => {
  const known = new KnownMembers(channel);
  known.learn({ members: [ann, ben], version: 4 });
  expect(known.missingChanges({ members: [ann, ben], version: 7 })).toEqual([]);
  expect(isTold(known, 'ben', false, 5)).toBe(false);
  // A subscriber whose own roster was from in between does not know it.
  expect(isTold(known, 'ben', true, 6)).toBe(true);
  expect(isTold(known, 'ben', false, 8)).toBe(true);
});

it('those whose roster was older are told of a member whom the first roster shows', () => {
  const known = new KnownMembers(channel);
  known.learn({ members: [ann, ben], version: 5 });
  known.learn({ members: [ann], version: 4 });
  expect([isTold(known, 'ben', true, 5), isTold(known, 'ben', true, 5)]).toEqual([true, false]);
});

/** What subscribers are told to reach a roster, and those up to which version know it already. */
function toldFor(known: KnownMembers, members: Roster['members'], version: number) {
  return known.missingChanges({ members, version }).map((change) => {
    const { userId, isPresent } = change;
    const text = isPresent ? memberAdded(channel, userId, undefined) : memberRemoved(channel, userId);
    const frame = new Frame({ text, change }, '');
    known.record(frame, change, known.latestOf(userId));
    return [userId, isPresent, frame.repeats];
  });
}

it('one whose roster lacked a member, whose departure and return were lost, is told of the return', () => {
  const known = new KnownMembers(channel);
  known.learn({ members: [ann, ben], version: 4 });
  known.learn({ members: [ann], version: 6 });
  known.learn({ members: [ann], version: 7 });
  expect(toldFor(known, [ann, ben], 9)).toEqual([['ben', true, 5]]);
  expect(toldFor(known, [ann, ben], 10)).toEqual([]);
});

it('one whose roster showed a member, whose coming and departure were lost, is told of the departure', () => {
  const known = new KnownMembers(channel);
  known.learn({ members: [ann], version: 4 });
  known.learn({ members: [ann, ben], version: 6 });
  expect(toldFor(known, [ann], 9)).toEqual([['ben', false, 5]]);
  expect(toldFor(known, [ann], 10)).toEqual([]);
});

it('one whose roster showed another info, whose update was lost, is told of the one that stayed', () => {
  const known = new KnownMembers(channel);
  known.learn({ members: [ann, ben], version: 4 });
  known.learn({ members: [ann, { ...ben, since: 6 }], version: 7 });
  known.learn({ members: [ann, { ...ben, since: 8 }], version: 8 });
  expect(toldFor(known, [ann, ben], 9)).toEqual([['ben', true, 6]]);
  expect(toldFor(known, [ann, ben], 10)).toEqual([]);
});

it('an update that was on its way while a roster showed it is not told again, unlike one that followed', () => {
  const known = new KnownMembers(channel);
  known.learn({ members: [ann, ben], version: 4 });
  known.learn({
    members: [
      { ...ann, since: 6 },
      { ...ben, since: 5 },
    ],
    version: 7,
  });
  for (const userId of ['ann', 'ben']) isTold(known, userId, true, 5);
  expect(toldFor(known, [ann, ben], 9)).toEqual([['ann', true, 6]]);
});

it('a member who returned is told as they are, if a roster showed their return and it was lost', () => {
  const known = new KnownMembers(channel);
  known.learn({ members: [ann, ben], version: 4 });
  known.learn({ members: [ann], version: 5 });
  known.learn({ members: [ann, { ...ben, since: 7 }], version: 7 });
  expect(isTold(known, 'ben', false, 5)).toBe(true);
  expect(toldFor(known, [ann], 9)).toEqual([['ben', false, 5]]);
});

it('a change that was on its way while a roster showed it is not told again', () => {
  const known = new KnownMembers(channel);
  known.learn({ members: [ann], version: 4 });
  known.learn({ members: [ben], version: 6 });
  isTold(known, 'ben', true, 5);
  isTold(known, 'ann', false, 6);
  expect(toldFor(known, [ben], 9)).toEqual([]);
});

it('one whose roster was older than a change that came late is told of what was lost later', () => {
  const known = new KnownMembers(channel);
  known.learn({ members: [ann, ben], version: 4 });
  known.learn({ members: [ann], version: 6 });
  known.learn({ members: [ann], version: 9 });
  isTold(known, 'ben', true, 7);
  expect(toldFor(known, [ann, ben], 12)).toEqual([['ben', true, 7]]);
});

it('a roster that is older than another changes nothing', () => {
  const known = new KnownMembers(channel);
  known.learn({ members: [ann], version: 4 });
  expect(known.missingChanges({ members: [ann], version: 7 })).toEqual([]);
  expect(known.missingChanges({ members: [], version: 6 })).toEqual([]);
});

it('takes over only the first roster, and only members whose changes it does not know already', () => {
  const known = new KnownMembers(channel);
  isTold(known, 'ann', false, 4);
  isTold(known, 'ben', false, 6);
  known.learn({ members: [ann, ben], version: 4 });
  known.learn({ members: [{ userId: 'dan', since: 3 }], version: 9 });
  expect(['ann', 'ben', 'dan'].map((userId) => known.latestOf(userId)?.isPresent)).toEqual([false, false, undefined]);
});

it('a roster does not undo a change that is newer', () => {
  const known = new KnownMembers(channel);
  isTold(known, 'ann', true, 5);
  isTold(known, 'ben', true, 8);
  isTold(known, 'dan', false, 8);
  expect(known.missingChanges({ members: [{ userId: 'dan', since: 3 }], version: 7 })).toEqual([
    { userId: 'ann', isPresent: false, version: 7 },
  ]);
});

it('a member that a roster showed stays known by its version when an earlier change is told', () => {
  const known = new KnownMembers(channel);
  known.learn({ members: [ann], version: 5 });
  expect([isTold(known, 'ann', true, 4), known.latestOf('ann')?.version]).toEqual([true, 5]);
});

/** Up to which version connections know what the frame of this change says, after an earlier one at version 2. */
function repeatsOf(earlier: boolean | undefined, change: Omit<MemberChange, 'userId'>, info?: string) {
  const known = new KnownMembers(channel);
  if (earlier !== undefined) isTold(known, 'ann', earlier, 2);
  const text = change.isPresent ? memberAdded(channel, 'ann', info) : memberRemoved(channel, 'ann');
  const whole = { userId: 'ann', ...change };
  const frame = new Frame({ text, change: whole }, '');
  known.record(frame, whole, known.latestOf('ann'));
  return frame.repeats;
}

it.each<[string, number | undefined, Parameters<typeof repeatsOf>]>([
  ['the same, after a change that is not known', 2, [true, { isPresent: true, version: 7 }]],
  ['the same, after a change that was overtaken', 4, [true, { isPresent: true, version: 7, previous: 5 }]],
  ['the same departure', 4, [false, { isPresent: false, version: 7, previous: 5 }]],
  ['the same member with another info', undefined, [true, { isPresent: true, version: 7, previous: 5 }, '{}']],
  ['the opposite', undefined, [true, { isPresent: false, version: 7, previous: 5 }]],
  [
    'a first departure, after a change that was overtaken',
    4,
    [undefined, { isPresent: false, version: 7, previous: 5 }],
  ],
  ['a first departure', undefined, [undefined, { isPresent: false, version: 7 }]],
  ['a first coming', undefined, [undefined, { isPresent: true, version: 7, previous: 5 }]],
])('a frame that says %s repeats what is known up to %s', (_, repeats, given) => {
  expect(repeatsOf(...given)).toBe(repeats);
});

it('forgets the first of many guests, however many members stay all the time', () => {
  const known = new KnownMembers(channel);
  known.learn({ members: Array.from({ length: 20 }, (_, n) => ({ userId: `member-${n}`, since: 1 })), version: 1 });
  const before = usedBytes();
  for (let n = 1; n <= 40_000; n += 1) {
    const guest = `guest-${n}`.padEnd(128, 'x');
    isTold(known, guest, true, 2 * n);
    isTold(known, guest, false, 2 * n + 1);
  }
  expect((usedBytes() - before) / 1024 / 1024).toBeLessThan(4);
  expect(isTold(known, 'member-0', false, 100_000)).toBe(true);
});
