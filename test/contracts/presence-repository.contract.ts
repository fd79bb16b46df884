import { expect } from 'vitest';
import type { PresenceRepository } from 'rookery/presence';
import type { Promised } from './contract.js';

const room = { scope: 'app', name: 'presence-room' };
const joined = (isFirst: boolean) => ({ outcome: 'joined', isFirst });
const alice = { userId: 'alice', userInfoJson: '{"name":"A"}' };
const bob = { userId: 'bob' };

/** What every PresenceRepository must keep. */
export const presenceRepositoryContract: readonly Promised<PresenceRepository>[] = [
  {
    promise: 'answers first for the first connection of a user and last for the last',
    async test(ledger) {
      expect(await ledger.join(room, '1', alice, 10)).toEqual(joined(true));
      expect(await ledger.join(room, '2', alice, 10)).toEqual(joined(false));
      expect(await ledger.leave(room, '1')).toEqual({ userId: 'alice', wasLast: false });
      expect(await ledger.leave(room, '2')).toEqual({ userId: 'alice', wasLast: true });
      expect(await ledger.join(room, '3', alice, 10)).toEqual(joined(true));
    },
  },
  {
    promise: 'answers first and last once each when a user’s connections come and go at once',
    async test(ledger) {
      const ids = Array.from({ length: 20 }, (_, i) => String(i));
      const joins = await Promise.all(ids.map((id) => ledger.join(room, id, alice, 10)));
      expect(joins.filter((each) => each.outcome === 'joined' && each.isFirst)).toHaveLength(1);
      const leaves = await Promise.all(ids.map((id) => ledger.leave(room, id)));
      expect(leaves.filter((each) => each?.wasLast)).toHaveLength(1);
    },
  },
  {
    promise: 'lets no more users in than the limit, even when all come at once; who is in may come again',
    async test(ledger) {
      const users = Array.from({ length: 20 }, (_, i) => ({ userId: `u${i}` }));
      const joins = await Promise.all(users.map((user, i) => ledger.join(room, String(i), user, 5)));
      expect(joins.filter(({ outcome }) => outcome === 'full')).toHaveLength(15);
      expect(await ledger.memberCount(room)).toBe(5);
      const present = (await ledger.members(room))[0]!;
      expect(await ledger.join(room, 'again', present, 5)).toEqual(joined(false));
    },
  },
  {
    promise: 'leaves nothing behind of who was refused',
    async test(ledger) {
      await ledger.join(room, '1', alice, 1);
      expect(await ledger.join(room, '2', bob, 1)).toEqual({ outcome: 'full' });
      expect(await ledger.leave(room, '2')).toBeUndefined();
      expect(await ledger.members(room)).toEqual([alice]);
    },
  },
  {
    promise: 'answers each user once, in the order of joining, with the info of their first connection',
    async test(ledger) {
      await ledger.join(room, '1', bob, 10);
      await ledger.join(room, '2', alice, 10);
      await ledger.join(room, '3', { userId: 'bob', userInfoJson: '{}' }, 10);
      expect(await ledger.members(room)).toEqual([bob, alice]);
      expect(await ledger.memberCount(room)).toBe(2);
    },
  },
  {
    promise: 'takes a connection that joins twice for one, and one that leaves twice for gone',
    async test(ledger) {
      await ledger.join(room, '1', alice, 10);
      expect(await ledger.join(room, '1', alice, 10)).toEqual(joined(false));
      expect(await ledger.leave(room, '1')).toEqual({ userId: 'alice', wasLast: true });
      expect(await ledger.leave(room, '1')).toBeUndefined();
    },
  },
  {
    promise: 'keeps rooms and scopes apart, whatever their names',
    async test(ledger) {
      await ledger.join({ scope: 'a', name: 'b/c' }, '1', alice, 10);
      await ledger.join({ scope: 'a', name: 'b c' }, '1', bob, 10);
      for (const other of [
        { scope: 'a/b', name: 'c' },
        { scope: 'a b', name: 'c' },
        { scope: 'b', name: 'b/c' },
      ])
        expect(await ledger.members(other)).toEqual([]);
      expect(await ledger.members({ scope: 'a', name: 'b c' })).toEqual([bob]);
    },
  },
  {
    promise: 'answers who of some users is present',
    async test(ledger) {
      await ledger.join(room, '1', alice, 10);
      expect(await ledger.present(room, ['bob', 'alice', '__proto__'])).toEqual(['alice']);
      expect(await ledger.present({ ...room, scope: 'other' }, ['alice'])).toEqual([]);
      expect(await ledger.present(room, [])).toEqual([]);
    },
  },
];
