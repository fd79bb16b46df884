import type { Holder, Joined, Member, Presence, PresenceChange, PresenceRepository, Room } from 'rookery/presence';
import { contract } from './contract.js';
import { expect } from './expect.js';

const room = { scope: 'app', name: 'presence-room' };
const version = expect.any(Number) as number;
const joined = (isFirst: boolean) => ({ outcome: 'joined', isFirst, version });
const left = (userId: string, wasLast: boolean) => ({ userId, wasLast, version });
const alice = { userId: 'alice', userInfoJson: '{"name":"A"}' };
const bob = { userId: 'bob' };
const at = (connectionId: string, nodeId = 'node'): Holder => ({ nodeId, connectionId });

async function membersOf(ledger: PresenceRepository, of: Room = room): Promise<readonly Member[]> {
  return (await ledger.roster(of)).members;
}

async function countOf(ledger: PresenceRepository): Promise<number> {
  const [count = 0] = await ledger.memberCounts(room.scope, [room.name]);
  return count;
}

/** The contract of every PresenceRepository. */
export const describePresenceRepository = contract<PresenceRepository>('PresenceRepository', [
  {
    promise: 'reports a user’s first connection as first and the last as last',
    async test(ledger) {
      expect(await ledger.join(room, at('1'), alice, 10)).toEqual(joined(true));
      expect(await ledger.join(room, at('2', 'other'), alice, 10)).toEqual(joined(false));
      expect(await ledger.leave(room, at('1'))).toEqual(left('alice', false));
      expect(await ledger.leave(room, at('2', 'other'))).toEqual(left('alice', true));
      expect(await ledger.join(room, at('3'), alice, 10)).toMatchObject(joined(true));
    },
  },
  {
    promise: 'reports first and last once each when a user’s connections join and leave concurrently',
    async test(ledger) {
      const ids = Array.from({ length: 20 }, (_, i) => String(i));
      const joins = await Promise.all(ids.map((id) => ledger.join(room, at(id), alice, 10)));
      expect(joins.filter((each) => each.outcome === 'joined' && each.isFirst)).toHaveLength(1);
      const leaves = await Promise.all(ids.map((id) => ledger.leave(room, at(id))));
      expect(leaves.filter((each) => each?.wasLast)).toHaveLength(1);
    },
  },
  {
    promise: 'admits no more users than the limit, even concurrently; a present user may join again',
    async test(ledger) {
      const users = Array.from({ length: 20 }, (_, i) => ({ userId: `u${i}` }));
      const joins = await Promise.all(users.map((user, i) => ledger.join(room, at(String(i)), user, 5)));
      expect(joins.filter(({ outcome }) => outcome === 'full')).toHaveLength(15);
      expect(await countOf(ledger)).toBe(5);
      const present = (await membersOf(ledger))[0]!;
      expect(await ledger.join(room, at('again'), present, 5)).toEqual(joined(false));
    },
  },
  {
    promise: 'keeps nothing of a refused user',
    async test(ledger) {
      await ledger.join(room, at('1'), alice, 1);
      expect(await ledger.join(room, at('2'), bob, 1)).toEqual({ outcome: 'full' });
      expect(await ledger.leave(room, at('2'))).toBeUndefined();
      expect(await membersOf(ledger)).toEqual([alice]);
    },
  },
  {
    promise: 'lists each user once, in the order of joining, with the info of their first connection',
    async test(ledger) {
      await ledger.join(room, at('1'), bob, 10);
      await ledger.join(room, at('2'), alice, 10);
      await ledger.join(room, at('3'), { userId: 'bob', userInfoJson: '{}' }, 10);
      expect(await membersOf(ledger)).toEqual([bob, alice]);
      expect(await countOf(ledger)).toBe(2);
    },
  },
  {
    promise: 'gives a repeated join the first answer, and counts the connection once',
    async test(ledger) {
      const first = await ledger.join(room, at('1'), alice, 1);
      expect(await ledger.join(room, at('1'), alice, 1)).toEqual(first);
      expect(await ledger.leave(room, at('1'))).toEqual(left('alice', true));
      expect(await membersOf(ledger)).toEqual([]);
    },
  },
  {
    promise: 'gives a repeated leave the first answer, and removes no other user',
    async test(ledger) {
      await ledger.join(room, at('1'), alice, 10);
      await ledger.join(room, at('2'), alice, 10);
      const first = await ledger.leave(room, at('1'));
      expect(await ledger.leave(room, at('1'))).toEqual(first);
      expect(await membersOf(ledger)).toEqual([alice]);
      const last = await ledger.leave(room, at('2'));
      expect(last).toEqual(left('alice', true));
      expect(await ledger.leave(room, at('2'))).toEqual(last);
      expect(await ledger.leave(room, at('never here'))).toBeUndefined();
    },
  },
  {
    promise: 'gives each change a greater version than all before, even if the room was empty in between',
    async test(ledger) {
      const versions: number[] = [];
      for (const id of ['1', '2', '3']) {
        const join = await ledger.join(room, at(id), alice, 10);
        if (join.outcome === 'joined') versions.push(join.version);
        versions.push((await ledger.leave(room, at(id)))!.version);
      }
      expect(versions).toHaveLength(6);
      expect(versions.every((each, i) => i === 0 || each > versions[i - 1]!)).toBe(true);
    },
  },
  {
    promise: 'states in a roster which changes it shows',
    async test(ledger) {
      const first = await ledger.join(room, at('1'), alice, 10);
      const roster = await ledger.roster(room);
      expect(roster.members).toEqual([alice]);
      expect(roster.version).toBeGreaterThanOrEqual(versionOf(first));
      const next = await ledger.join(room, at('2'), bob, 10);
      expect(versionOf(next)).toBeGreaterThan(roster.version);
      expect((await ledger.roster(room)).version).toBeGreaterThanOrEqual(versionOf(next));
    },
  },
  {
    promise: 'isolates rooms and scopes, whatever their names',
    async test(ledger) {
      await ledger.join({ scope: 'a', name: 'b/c' }, at('1'), alice, 10);
      await ledger.join({ scope: 'a', name: 'b c' }, at('1'), bob, 10);
      for (const other of [
        { scope: 'a/b', name: 'c' },
        { scope: 'a b', name: 'c' },
        { scope: 'b', name: 'b/c' },
      ])
        expect(await membersOf(ledger, other)).toEqual([]);
      expect(await membersOf(ledger, { scope: 'a', name: 'b c' })).toEqual([bob]);
      expect(await ledger.memberCounts('a', ['b c', 'none', 'b/c'])).toEqual([1, 0, 1]);
    },
  },
  {
    promise: 'confirms to only one caller that a user is absent, and to none once the user has returned',
    async test(ledger) {
      await ledger.join(room, at('1'), alice, 10);
      const gone = (await ledger.leave(room, at('1')))!;
      expect(await ledger.confirmAbsent(room, 'alice', gone.version - 1)).toBe(false);
      expect(await ledger.confirmAbsent({ ...room, scope: 'other' }, 'alice', gone.version)).toBe(false);
      expect(await ledger.confirmAbsent(room, 'alice', gone.version)).toBe(true);
      expect(await ledger.confirmAbsent(room, 'alice', gone.version)).toBe(false);
      expect(await ledger.join(room, at('2'), alice, 10)).toEqual(joined(true));
      const again = (await ledger.leave(room, at('2')))!;
      for (let n = 0; n < 2; n++)
        expect(await ledger.join(room, at('3', 'other'), alice, 10)).toEqual({ ...joined(true), isReturn: true });
      expect(await ledger.confirmAbsent(room, 'alice', again.version)).toBe(false);
    },
  },
  {
    promise: 'removes the entries of a dead process, except users with another connection, and reports once who left',
    async test(ledger) {
      await ledger.join(room, at('1', 'dead'), alice, 10);
      await ledger.join(room, at('2', 'dead'), bob, 10);
      await ledger.join(room, at('3', 'alive'), bob, 10);
      expect(await ledger.takeOut('dead', 'heir')).toEqual([{ room, member: alice, isPresent: false, version }]);
      expect(await membersOf(ledger)).toEqual([bob]);
      expect(await ledger.takeOut('dead', 'heir')).toEqual([]);
      expect(await ledger.leave(room, at('3', 'alive'))).toEqual(left('bob', true));
    },
  },
  {
    promise: 'answers the unconfirmed changes of a dead process, and again if its heir dies',
    async test(ledger) {
      const userIdsOf = (changes: readonly PresenceChange[]) => changes.map(({ member }) => member.userId).toSorted();
      for (const user of [alice, bob, { userId: 'carol' }]) await ledger.join(room, at(user.userId, 'dead'), user, 10);
      const gone = (await ledger.leave(room, at('alice', 'dead')))!;
      await ledger.leave(room, at('bob', 'dead'));
      await ledger.join(room, at('4', 'alive'), bob, 10);
      expect(userIdsOf(await ledger.takeOut('dead', 'heir'))).toEqual(['alice', 'carol']);
      const inherited = await ledger.takeOut('heir', 'another');
      expect(userIdsOf(inherited)).toEqual(['alice', 'carol']);
      expect(inherited[0]).toMatchObject({ room, isPresent: false, version: gone.version });
      expect(await ledger.confirmAbsent(room, 'alice', gone.version)).toBe(true);
      expect(userIdsOf(await ledger.takeOut('another', 'last'))).toEqual(['carol']);
    },
  },
  {
    promise: 'replaces the entries of a process by what it announces, and reports the changes',
    async test(ledger) {
      await ledger.join(room, at('1'), alice, 10);
      await ledger.join(room, at('2'), bob, 10);
      const carol = { userId: 'carol', userInfoJson: '7' };
      const held: Presence[] = [
        { room, connectionId: '2', member: bob },
        { room, connectionId: '3', member: carol },
      ];
      const changes = await ledger.announce('node', held);
      expect(changes.map(({ member, isPresent }) => [member, isPresent])).toEqual([
        [alice, false],
        [carol, true],
      ]);
      expect(changes[1]!.version).toBeGreaterThan(changes[0]!.version);
      expect(await membersOf(ledger)).toEqual([bob, carol]);
      expect(await ledger.announce('node', held)).toEqual([]);
    },
  },
  {
    promise: 'restores the users of a process that was wrongly removed, and reports each once',
    async test(ledger) {
      await ledger.join(room, at('1', 'paused'), alice, 10);
      await ledger.takeOut('paused', 'heir');
      const held: Presence[] = [{ room, connectionId: '1', member: alice }];
      expect(await ledger.announce('paused', held)).toMatchObject([{ room, member: alice, isPresent: true, version }]);
      expect(await ledger.announce('paused', held)).toEqual([]);
      expect(await ledger.leave(room, at('1', 'paused'))).toEqual(left('alice', true));
      expect(await membersOf(ledger)).toEqual([]);
    },
  },
]);

const versionOf = (joined: Joined): number => (joined.outcome === 'joined' ? joined.version : NaN);
