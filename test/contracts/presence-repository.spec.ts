import { describe, expect, it } from 'vitest';
import {
  type Holder,
  type Joined,
  type Left,
  type Member,
  MemoryPresenceRepository,
  type Presence,
  type PresenceChange,
  type Room,
  type Roster,
} from 'rookery/presence';
import { describePresenceRepository } from '@rookery/testing';
import { brokenPromises } from './broken-promises.js';

describe('MemoryPresenceRepository', () => {
  describePresenceRepository(() => new MemoryPresenceRepository());
});

class AlwaysFirst extends MemoryPresenceRepository {
  override join(...args: Parameters<MemoryPresenceRepository['join']>): Joined {
    const answer = super.join(...args);
    return answer.outcome === 'full' ? answer : { ...answer, isFirst: true };
  }
}
class CountsConnections extends MemoryPresenceRepository {
  private readonly connections = new Map<string, number>();
  override join(room: Room, holder: Holder, member: Member): Joined {
    this.connections.set(room.name, (this.connections.get(room.name) ?? 0) + 1);
    return super.join(room, holder, member, Infinity);
  }
  override memberCounts(_: string, names: readonly string[]): readonly number[] {
    return names.map((name) => this.connections.get(name) ?? 0);
  }
}
class StoresRefusedUsers extends MemoryPresenceRepository {
  override join(room: Room, holder: Holder, member: Member, limit: number): Joined {
    const answer = super.join(room, holder, member, limit);
    if (answer.outcome === 'full') super.join(room, holder, member, Infinity);
    return answer;
  }
}
class ConcatenatesNames extends MemoryPresenceRepository {
  override join({ scope, name }: Room, holder: Holder, member: Member, limit: number): Joined {
    return super.join({ scope: '', name: `${scope}/${name}` }, holder, member, limit);
  }
  override roster({ scope, name }: Room): Roster {
    return super.roster({ scope: '', name: `${scope}/${name}` });
  }
}
class TellsOwnVersion extends MemoryPresenceRepository {
  override leave(room: Room, holder: Holder): Left | undefined {
    const left = super.leave(room, holder);
    return left && { ...left, previous: left.version - 1 };
  }
}
class AnswersFirstOnce extends MemoryPresenceRepository {
  private readonly joined = new Set<string>();
  override join(room: Room, holder: Holder, member: Member, limit: number): Joined {
    const answer = super.join(room, holder, member, limit);
    if (answer.outcome === 'full' || !this.joined.has(holder.connectionId)) {
      this.joined.add(holder.connectionId);
      return answer;
    }
    return { ...answer, isFirst: false };
  }
}
class ForgetsLeaves extends MemoryPresenceRepository {
  private readonly gone = new Set<string>();
  override leave(room: Room, holder: Holder): Left | undefined {
    const isRepeated = this.gone.has(holder.connectionId);
    this.gone.add(holder.connectionId);
    return isRepeated ? undefined : super.leave(room, holder);
  }
}
class RestartsVersions extends MemoryPresenceRepository {
  override join(...args: Parameters<MemoryPresenceRepository['join']>): Joined {
    const answer = super.join(...args);
    return answer.outcome === 'full' ? answer : { ...answer, version: 1 };
  }
}
class OldRosters extends MemoryPresenceRepository {
  override roster(room: Room): Roster {
    return { ...super.roster(room), version: 0 };
  }
}
class HoldsForGood extends MemoryPresenceRepository {
  private readonly held = new Set<string>();
  override holdsAbsence(...absence: [Room, string, number, string]): boolean {
    if (super.holdsAbsence(...absence)) this.held.add(JSON.stringify(absence));
    return this.held.has(JSON.stringify(absence));
  }
}
class ConfirmsToAll extends MemoryPresenceRepository {
  override confirmAbsent(): boolean {
    return true;
  }
}
class NewestFirst extends MemoryPresenceRepository {
  override roster(room: Room): Roster {
    const { members, version } = super.roster(room);
    return { members: members.toReversed(), version };
  }
}
class RemovesTheLivingToo extends MemoryPresenceRepository {
  override takeOut(nodeId: string, heirId: string): readonly PresenceChange[] {
    return [...super.takeOut(nodeId, heirId), ...super.takeOut('alive', heirId)];
  }
}
class LeavesNothingToTheHeir extends MemoryPresenceRepository {
  override takeOut(nodeId: string): readonly PresenceChange[] {
    return super.takeOut(nodeId, nodeId);
  }
}
class OnlyAddsAnnouncements extends MemoryPresenceRepository {
  override announce(nodeId: string, held: readonly Presence[]): readonly PresenceChange[] {
    return held.map(({ room, connectionId, member }) => {
      const joined = this.join(room, { nodeId, connectionId }, member, Infinity);
      return { room, member, isPresent: true, version: joined.outcome === 'joined' ? joined.version : 0 };
    });
  }
}

class UpdatesTheAbsent extends MemoryPresenceRepository {
  override update(room: Room, member: Member): number {
    this.join(room, { nodeId: 'node', connectionId: 'update' }, member, Infinity);
    return super.update(room, member)!;
  }
}
class UpdatesByReturning extends MemoryPresenceRepository {
  override update(room: Room, member: Member): number | undefined {
    if (!super.roster(room).members.some(({ userId }) => userId === member.userId)) return undefined;
    for (const id of ['0', '1']) this.leave(room, { nodeId: 'node', connectionId: id });
    const joined = this.join(room, { nodeId: 'node', connectionId: '1' }, member, Infinity);
    return joined.outcome === 'joined' ? joined.version : undefined;
  }
}
class UpdatesSilently extends MemoryPresenceRepository {
  override update(room: Room, member: Member): number | undefined {
    super.update(room, member);
    return super.roster(room).version - 1;
  }
}
class ShowsSinceTheComing extends MemoryPresenceRepository {
  private readonly came = new Map<string, number>();
  override update(room: Room, member: Member): number | undefined {
    const before = super.roster(room).members.find(({ userId }) => userId === member.userId);
    if (before) this.came.set(member.userId, before.since);
    return super.update(room, member);
  }
  override roster(room: Room): Roster {
    const { members, version } = super.roster(room);
    return { members: members.map((each) => ({ ...each, since: this.came.get(each.userId) ?? each.since })), version };
  }
}
class JoinsUpdate extends MemoryPresenceRepository {
  override join(room: Room, holder: Holder, member: Member, limit: number): Joined {
    super.update(room, member);
    return super.join(room, holder, member, limit);
  }
}

describe('the contract of PresenceRepository rejects an implementation that', () => {
  it.each([
    [TellsOwnVersion, 'tells no other version as that of the user’s change before than the one it had'],
    [AlwaysFirst, 'reports a user’s first connection as first and the last as last'],
    [AlwaysFirst, 'reports first and last once each when a user’s connections join and leave concurrently'],
    [CountsConnections, 'lists each user once, in the order of joining, with the info of their first connection'],
    [CountsConnections, 'admits no more users than the limit, even concurrently; a present user may join again'],
    [StoresRefusedUsers, 'keeps nothing of a refused user'],
    [ConcatenatesNames, 'isolates rooms and scopes, whatever their names'],
    [AnswersFirstOnce, 'gives a repeated join the first answer, and counts the connection once'],
    [ForgetsLeaves, 'gives a repeated leave the first answer, and removes no other user'],
    [RestartsVersions, 'gives each change a greater version than all before, even if the room was empty in between'],
    [UpdatesTheAbsent, 'updates nobody who is absent, elsewhere, or in another scope'],
    [UpdatesByReturning, 'replaces the info of a present user in their place, until they have left'],
    [UpdatesByReturning, 'keeps a user present since the same version, whatever is updated'],
    [UpdatesSilently, 'replaces the info of a present user in their place, until they have left'],
    [JoinsUpdate, 'replaces the info of a present user in their place, until they have left'],
    [OldRosters, 'states in a roster which changes it shows'],
    [ShowsSinceTheComing, 'states in a roster since when it shows each user with their info'],
    [JoinsUpdate, 'states in a roster since when it shows each user with their info'],
    [HoldsForGood, 'answers which process holds an absence, until it is confirmed or the user has returned'],
    [ConfirmsToAll, 'confirms to only one caller that a user is absent, and to none once the user has returned'],
    [NewestFirst, 'lists each user once, in the order of joining, with the info of their first connection'],
    [
      RemovesTheLivingToo,
      'removes the entries of a dead process, except users with another connection, and reports once who left',
    ],
    [LeavesNothingToTheHeir, 'answers the unconfirmed changes of a dead process, and again if its heir dies'],
    [OnlyAddsAnnouncements, 'replaces the entries of a process by what it announces, and reports the changes'],
    [OnlyAddsAnnouncements, 'restores the users of a process that was wrongly removed, and reports each once'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describePresenceRepository, () => new Broken())).toContain(promise);
  });
});
