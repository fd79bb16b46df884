import { describe } from 'vitest';
import { MemoryPresenceRepository } from 'rookery/presence';
import { describePresenceRepository } from '@rookery/testing';
import { describeBrokenDoubles } from './broken-doubles.js';

const inMemory = () => new MemoryPresenceRepository();

describe('MemoryPresenceRepository', () => {
  describePresenceRepository(inMemory);
});

describeBrokenDoubles('PresenceRepository', describePresenceRepository, inMemory, (right, double) => ({
  'tells no other version as that of the user’s change before than the one it had': double('tells own version', {
    leave(...asked) {
      const left = right.leave(...asked);
      return left && { ...left, previous: left.version - 1 };
    },
  }),
  'reports a user’s first connection as first and the last as last': double('calls every connection the first', {
    join(...asked) {
      const answer = right.join(...asked);
      return answer.outcome === 'full' ? answer : { ...answer, isFirst: true };
    },
  }),
  'reports first and last once each when a user’s connections join and leave concurrently':
    'calls every connection the first',
  'lists each user once, in the order of joining, with the info of their first connection': [
    double('counts connections', (connections = new Map<string, number>()) => ({
      join(room, holder, member) {
        connections.set(room.name, (connections.get(room.name) ?? 0) + 1);
        return right.join(room, holder, member, Infinity);
      },
      memberCounts: (_, names) => names.map((name) => connections.get(name) ?? 0),
    })),
    double('lists the newest first', {
      roster(room) {
        const { members, version } = right.roster(room);
        return { members: members.toReversed(), version };
      },
    }),
  ],
  'admits no more users than the limit, even concurrently; a present user may join again': 'counts connections',
  'keeps nothing of a refused user': double('stores refused users', {
    join(room, holder, member, limit) {
      const answer = right.join(room, holder, member, limit);
      if (answer.outcome === 'full') right.join(room, holder, member, Infinity);
      return answer;
    },
  }),
  'isolates rooms and scopes, whatever their names': double('concatenates names', {
    join: ({ scope, name }, ...joined) => right.join({ scope: '', name: `${scope}/${name}` }, ...joined),
    roster: ({ scope, name }) => right.roster({ scope: '', name: `${scope}/${name}` }),
  }),
  'gives a repeated join the first answer, and counts the connection once': [
    double('answers first once', (joined = new Set<string>()) => ({
      join(room, holder, member, limit) {
        const answer = right.join(room, holder, member, limit);
        if (answer.outcome !== 'full' && joined.has(holder.connectionId)) return { ...answer, isFirst: false };
        joined.add(holder.connectionId);
        return answer;
      },
    })),
  ],
  'gives a repeated leave the first answer, and removes no other user': [
    double('forgets leaves', (gone = new Set<string>()) => ({
      leave(room, holder) {
        const isRepeated = gone.has(holder.connectionId);
        gone.add(holder.connectionId);
        return isRepeated ? undefined : right.leave(room, holder);
      },
    })),
  ],
  'gives each change a greater version than all before, even if the room was empty in between': [
    double('restarts versions', {
      join(...asked) {
        const answer = right.join(...asked);
        return answer.outcome === 'full' ? answer : { ...answer, version: 1 };
      },
    }),
  ],
  'updates nobody who is absent, elsewhere, or in another scope': double('updates the absent', {
    update(room, member) {
      right.join(room, { nodeId: 'node', connectionId: 'update' }, member, Infinity);
      return right.update(room, member);
    },
  }),
  'replaces the info of a present user in their place, until they have left': [
    double('updates by returning', {
      update(room, member) {
        if (!right.roster(room).members.some(({ userId }) => userId === member.userId)) return undefined;
        for (const id of ['0', '1']) right.leave(room, { nodeId: 'node', connectionId: id });
        const joined = right.join(room, { nodeId: 'node', connectionId: '1' }, member, Infinity);
        return joined.outcome === 'joined' ? joined.version : undefined;
      },
    }),
    double('updates silently', {
      update(room, member) {
        right.update(room, member);
        return right.roster(room).version - 1;
      },
    }),
    double('updates at each join', {
      join(room, holder, member, limit) {
        right.update(room, member);
        return right.join(room, holder, member, limit);
      },
    }),
  ],
  'keeps a user present since the same version, whatever is updated': 'updates by returning',
  'states in a roster which changes it shows': double('answers rosters with an old version', {
    roster: (room) => ({ ...right.roster(room), version: 0 }),
  }),
  'states in a roster since when it shows each user with their info': [
    double('shows since the coming', (came = new Map<string, number>()) => ({
      update(room, member) {
        const before = right.roster(room).members.find(({ userId }) => userId === member.userId);
        if (before) came.set(member.userId, before.since);
        return right.update(room, member);
      },
      roster(room) {
        const { members, version } = right.roster(room);
        return { members: members.map((each) => ({ ...each, since: came.get(each.userId) ?? each.since })), version };
      },
    })),
    'updates at each join',
  ],
  'answers which process holds an absence, until it is confirmed or the user has returned': [
    double('holds for good', (held = new Set<string>()) => ({
      holdsAbsence(...absence) {
        if (right.holdsAbsence(...absence)) held.add(JSON.stringify(absence));
        return held.has(JSON.stringify(absence));
      },
    })),
  ],
  'confirms to only one caller that a user is absent, and to none once the user has returned': [
    double('confirms to all', { confirmAbsent: () => true }),
  ],
  'removes the entries of a dead process, except users with another connection, and reports once who left': [
    double('removes the living too', {
      takeOut: (node, heir) => [...right.takeOut(node, heir), ...right.takeOut('alive', heir)],
    }),
  ],
  'answers the unconfirmed changes of a dead process, and again if its heir dies': [
    double('leaves nothing to the heir', { takeOut: (node) => right.takeOut(node, node) }),
  ],
  'replaces the entries of a process by what it announces, and reports the changes': double('only adds announcements', {
    announce: (nodeId, held) =>
      held.map(({ room, connectionId, member }) => {
        const joined = right.join(room, { nodeId, connectionId }, member, Infinity);
        return { room, member, isPresent: true, version: joined.outcome === 'joined' ? joined.version : 0 };
      }),
  }),
  'restores the users of a process that was wrongly removed, and reports each once': 'only adds announcements',
}));
