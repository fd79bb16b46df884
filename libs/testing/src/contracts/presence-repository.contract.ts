import assert from 'node:assert/strict';
import type {
  Holder,
  Joined,
  Member,
  Presence,
  PresenceChange,
  PresenceRepository,
  Room,
  RosterMember,
} from 'rookery/presence';
import { contract } from './contract.js';
import { anyNumber, matches, same } from './assertions.js';

const room = { scope: 'app', name: 'presence-room' };
const version = anyNumber;
const joined = (isFirst: boolean) => ({ outcome: 'joined', isFirst, version });
const left = (userId: string, wasLast: boolean) => ({ userId, wasLast, version });
const alice = { userId: 'alice', userInfoJson: '{"name":"A"}' };
const bob = { userId: 'bob' };
/** Without what may be missing. */
const plain = <Answer extends object>(answer: Answer | undefined) => answer && { ...answer, previous: undefined };
const at = (connectionId: string, nodeId = 'node'): Holder => ({ nodeId, connectionId });

function withoutSince(shown: RosterMember): Member {
  const { since: _since, ...member } = shown;
  return member;
}

async function membersOf(ledger: PresenceRepository, of: Room = room): Promise<readonly Member[]> {
  return (await ledger.roster(of)).members.map(withoutSince);
}

/** Since when the roster shows the user as they are. */
async function sinceOf(ledger: PresenceRepository, user: string): Promise<number | undefined> {
  return (await ledger.roster(room)).members.find(({ userId }) => userId === user)?.since;
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
      same(await ledger.join(room, at('1'), alice, 10), joined(true));
      same(await ledger.join(room, at('2', 'other'), alice, 10), joined(false));
      same(plain(await ledger.leave(room, at('1'))), left('alice', false));
      same(plain(await ledger.leave(room, at('2', 'other'))), left('alice', true));
      matches(await ledger.join(room, at('3'), alice, 10), joined(true));
    },
  },
  {
    promise: 'reports first and last once each when a user’s connections join and leave concurrently',
    async test(ledger) {
      const ids = Array.from({ length: 20 }, (_, i) => String(i));
      const joins = await Promise.all(ids.map((id) => ledger.join(room, at(id), alice, 10)));
      assert.equal(joins.filter((each) => each.outcome === 'joined' && each.isFirst).length, 1);
      const leaves = await Promise.all(ids.map((id) => ledger.leave(room, at(id))));
      assert.equal(leaves.filter((each) => each?.wasLast).length, 1);
    },
  },
  {
    promise: 'admits no more users than the limit, even concurrently; a present user may join again',
    async test(ledger) {
      const users = Array.from({ length: 20 }, (_, i) => ({ userId: `u${i}` }));
      const joins = await Promise.all(users.map((user, i) => ledger.join(room, at(String(i)), user, 5)));
      assert.equal(joins.filter(({ outcome }) => outcome === 'full').length, 15);
      assert.equal(await countOf(ledger), 5);
      const present = (await membersOf(ledger))[0]!;
      same(await ledger.join(room, at('again'), present, 5), joined(false));
    },
  },
  {
    promise: 'keeps nothing of a refused user',
    async test(ledger) {
      await ledger.join(room, at('1'), alice, 1);
      same(await ledger.join(room, at('2'), bob, 1), { outcome: 'full' });
      assert.equal(await ledger.leave(room, at('2')), undefined);
      same(await membersOf(ledger), [alice]);
    },
  },
  {
    promise: 'lists each user once, in the order of joining, with the info of their first connection',
    async test(ledger) {
      await ledger.join(room, at('1'), bob, 10);
      await ledger.join(room, at('2'), alice, 10);
      await ledger.join(room, at('3'), { userId: 'bob', userInfoJson: '{}' }, 10);
      same(await membersOf(ledger), [bob, alice]);
      assert.equal(await countOf(ledger), 2);
    },
  },
  {
    promise: 'gives a repeated join the first answer, and counts the connection once',
    async test(ledger) {
      const first = await ledger.join(room, at('1'), alice, 1);
      same(await ledger.join(room, at('1'), alice, 1), first);
      same(plain(await ledger.leave(room, at('1'))), left('alice', true));
      same(await membersOf(ledger), []);
    },
  },
  {
    promise: 'gives a repeated leave the first answer, and removes no other user',
    async test(ledger) {
      await ledger.join(room, at('1'), alice, 10);
      await ledger.join(room, at('2'), alice, 10);
      const first = await ledger.leave(room, at('1'));
      same(await ledger.leave(room, at('1')), first);
      same(await membersOf(ledger), [alice]);
      const last = await ledger.leave(room, at('2'));
      same(plain(last), left('alice', true));
      same(plain(await ledger.leave(room, at('2'))), plain(last));
      assert.equal(await ledger.leave(room, at('never here')), undefined);
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
      assert.equal(versions.length, 6);
      assert.equal(
        versions.every((each, i) => i === 0 || each > versions[i - 1]!),
        true,
      );
    },
  },
  {
    promise: 'tells no other version as that of the user’s change before than the one it had',
    async test(ledger) {
      const changes: { readonly version: number; readonly previous?: number }[] = [];
      for (const id of ['1', '2']) {
        const join = await ledger.join(room, at(id), alice, 10);
        if (join.outcome === 'joined') changes.push(join);
        const other = await ledger.join(room, at('other'), bob, 10);
        await ledger.leave(room, at('other'));
        assert.equal(other.outcome, 'joined');
        const second = await ledger.join(room, at(`${id}, too`), alice, 10);
        if (second.outcome === 'joined') assert.equal(second.previous, undefined);
        assert.equal((await ledger.leave(room, at(`${id}, too`)))?.previous, undefined);
        const gone = (await ledger.leave(room, at(id)))!;
        changes.push(gone);
        if (id === '1') await ledger.confirmAbsent(room, 'alice', gone.version);
      }
      changes.push(...(await ledger.announce('node', [{ room, connectionId: '3', member: alice }])));
      const gone = await ledger.takeOut('node', 'heir');
      changes.push(...gone.filter(({ member }) => member.userId === 'alice').slice(-1));
      assert.equal(changes.length, 6);
      for (const [i, { previous }] of changes.entries())
        if (previous !== undefined) assert.equal(previous, changes[i - 1]?.version);
    },
  },
  {
    promise: 'replaces the info of a present user in their place, until they have left',
    async test(ledger) {
      for (const [i, user] of [alice, bob].entries()) await ledger.join(room, at(String(i)), user, 10);
      const renamed = { userId: 'alice', userInfoJson: '{"name":"B"}' };
      const before = (await ledger.roster(room)).version;
      const updated = (await ledger.update(room, renamed))!;
      assert.ok(updated > before);
      same(await membersOf(ledger), [renamed, bob]);
      assert.ok((await ledger.roster(room)).version >= updated);
      same(await ledger.join(room, at('too', 'other'), alice, 10), joined(false));
      same(await membersOf(ledger), [renamed, bob]);
      assert.ok((await ledger.update(room, { userId: 'alice' }))! > updated);
      same(await membersOf(ledger), [{ userId: 'alice' }, bob]);
      for (const holder of [at('0'), at('too', 'other')]) await ledger.leave(room, holder);
      await ledger.join(room, at('again'), alice, 10);
      same(await membersOf(ledger), [bob, alice]);
    },
  },
  {
    promise: 'updates nobody who is absent, elsewhere, or in another scope',
    async test(ledger) {
      assert.equal(await ledger.update(room, alice), undefined);
      same(await membersOf(ledger), []);
      await ledger.join(room, at('1'), alice, 10);
      await ledger.join({ ...room, scope: 'other' }, at('2'), bob, 10);
      assert.equal(await ledger.update(room, { userId: 'bob', userInfoJson: '1' }), undefined);
      same(await membersOf(ledger), [alice]);
      await ledger.leave(room, at('1'));
      assert.equal(await ledger.update(room, alice), undefined);
      assert.equal(await countOf(ledger), 0);
      matches(await ledger.join(room, at('3'), bob, 1), joined(true));
    },
  },
  {
    promise: 'keeps a user present since the same version, whatever is updated',
    async test(ledger) {
      const first = versionOf(await ledger.join(room, at('1'), alice, 10));
      const updated = await ledger.update(room, { userId: 'alice', userInfoJson: '2' });
      const gone = (await ledger.leave(room, at('1')))!;
      assert.ok(gone.version > updated!);
      assert.ok(gone.previous === undefined || gone.previous === first);
    },
  },
  {
    promise: 'gives updates at the same time one version each, and shows the last',
    async test(ledger) {
      await ledger.join(room, at('1'), alice, 10);
      const infos = Array.from({ length: 20 }, (_, i) => String(i));
      const versions = await Promise.all(
        infos.map((userInfoJson) => ledger.update(room, { userId: 'alice', userInfoJson })),
      );
      assert.equal(new Set(versions).size, infos.length);
      const last = versions.indexOf(Math.max(...versions.map(Number)));
      same(await membersOf(ledger), [{ userId: 'alice', userInfoJson: infos[last] }]);
    },
  },
  {
    promise: 'states in a roster which changes it shows',
    async test(ledger) {
      const first = await ledger.join(room, at('1'), alice, 10);
      same(await membersOf(ledger), [alice]);
      const roster = await ledger.roster(room);
      assert.ok(roster.version >= versionOf(first));
      const next = await ledger.join(room, at('2'), bob, 10);
      assert.ok(versionOf(next) > roster.version);
      assert.ok((await ledger.roster(room)).version >= versionOf(next));
    },
  },
  {
    promise: 'states in a roster since when it shows each user with their info',
    async test(ledger) {
      const came = versionOf(await ledger.join(room, at('1'), alice, 10));
      const other = versionOf(await ledger.join(room, at('2'), bob, 10));
      await ledger.join(room, at('3', 'other'), { userId: 'alice', userInfoJson: '{}' }, 10);
      assert.equal(await sinceOf(ledger, 'alice'), came);
      const updated = await ledger.update(room, { userId: 'alice', userInfoJson: '{"name":"B"}' });
      assert.equal(await sinceOf(ledger, 'alice'), updated);
      await ledger.leave(room, at('1'));
      same([await sinceOf(ledger, 'alice'), await sinceOf(ledger, 'bob')], [updated, other]);
      const without = await ledger.update(room, { userId: 'alice' });
      assert.equal(await sinceOf(ledger, 'alice'), without);
      await ledger.leave(room, at('3', 'other'));
      assert.equal(versionOf(await ledger.join(room, at('4'), alice, 10)), await sinceOf(ledger, 'alice'));
      const [back] = await ledger.announce('third', [{ room, connectionId: '5', member: { userId: 'carol' } }]);
      assert.equal(back?.version, await sinceOf(ledger, 'carol'));
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
        same(await membersOf(ledger, other), []);
      same(await membersOf(ledger, { scope: 'a', name: 'b c' }), [bob]);
      same(await ledger.memberCounts('a', ['b c', 'none', 'b/c']), [1, 0, 1]);
    },
  },
  {
    promise: 'confirms to only one caller that a user is absent, and to none once the user has returned',
    async test(ledger) {
      await ledger.join(room, at('1'), alice, 10);
      const gone = (await ledger.leave(room, at('1')))!;
      assert.equal(await ledger.confirmAbsent(room, 'alice', gone.version - 1), false);
      assert.equal(await ledger.confirmAbsent({ ...room, scope: 'other' }, 'alice', gone.version), false);
      assert.equal(await ledger.confirmAbsent(room, 'alice', gone.version), true);
      assert.equal(await ledger.confirmAbsent(room, 'alice', gone.version), false);
      same(plain(await ledger.join(room, at('2'), alice, 10)), joined(true));
      const again = (await ledger.leave(room, at('2')))!;
      for (let n = 0; n < 2; n++)
        same(plain(await ledger.join(room, at('3', 'other'), alice, 10)), { ...joined(true), isReturn: true });
      assert.equal(await ledger.confirmAbsent(room, 'alice', again.version), false);
    },
  },
  {
    promise: 'answers which process holds an absence, until it is confirmed or the user has returned',
    async test(ledger) {
      const isHeld = (at: number, node: string) => ledger.holdsAbsence(room, 'alice', at, node);
      await ledger.join(room, at('1', 'a'), alice, 10);
      const gone = (await ledger.leave(room, at('1', 'a')))!;
      assert.equal(await isHeld(gone.version, 'a'), true);
      assert.equal(await isHeld(gone.version, 'b'), false);
      assert.equal(await isHeld(gone.version - 1, 'a'), false);
      assert.equal(await ledger.holdsAbsence({ ...room, scope: 'other' }, 'alice', gone.version, 'a'), false);
      await ledger.takeOut('a', 'heir');
      assert.equal(await isHeld(gone.version, 'a'), false);
      assert.equal(await isHeld(gone.version, 'heir'), true);
      await ledger.confirmAbsent(room, 'alice', gone.version);
      assert.equal(await isHeld(gone.version, 'heir'), false);
      await ledger.join(room, at('2', 'b'), alice, 10);
      const again = (await ledger.leave(room, at('2', 'b')))!;
      assert.equal(await isHeld(again.version, 'b'), true);
      await ledger.join(room, at('3', 'c'), alice, 10);
      assert.equal(await isHeld(again.version, 'b'), false);
    },
  },
  {
    promise: 'removes the entries of a dead process, except users with another connection, and reports once who left',
    async test(ledger) {
      await ledger.join(room, at('1', 'dead'), alice, 10);
      await ledger.join(room, at('2', 'dead'), bob, 10);
      await ledger.join(room, at('3', 'alive'), bob, 10);
      same((await ledger.takeOut('dead', 'heir')).map(plain), [{ room, member: alice, isPresent: false, version }]);
      same(await membersOf(ledger), [bob]);
      same(await ledger.takeOut('dead', 'heir'), []);
      same(plain(await ledger.leave(room, at('3', 'alive'))), left('bob', true));
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
      same(userIdsOf(await ledger.takeOut('dead', 'heir')), ['alice', 'carol']);
      const inherited = await ledger.takeOut('heir', 'another');
      same(userIdsOf(inherited), ['alice', 'carol']);
      matches(inherited[0], { room, isPresent: false, version: gone.version });
      assert.equal(await ledger.confirmAbsent(room, 'alice', gone.version), true);
      same(userIdsOf(await ledger.takeOut('another', 'last')), ['carol']);
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
      same(
        changes.map(({ member, isPresent }) => [member, isPresent]),
        [
          [alice, false],
          [carol, true],
        ],
      );
      assert.ok(changes[1]!.version > changes[0]!.version);
      same(await membersOf(ledger), [bob, carol]);
      same(await ledger.announce('node', held), []);
    },
  },
  {
    promise: 'restores the users of a process that was wrongly removed, and reports each once',
    async test(ledger) {
      await ledger.join(room, at('1', 'paused'), alice, 10);
      await ledger.takeOut('paused', 'heir');
      const held: Presence[] = [{ room, connectionId: '1', member: alice }];
      matches(await ledger.announce('paused', held), [{ room, member: alice, isPresent: true, version }]);
      same(await ledger.announce('paused', held), []);
      same(plain(await ledger.leave(room, at('1', 'paused'))), left('alice', true));
      same(await membersOf(ledger), []);
    },
  },
]);

const versionOf = (joined: Joined): number => (joined.outcome === 'joined' ? joined.version : NaN);
