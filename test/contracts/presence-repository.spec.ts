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
import { describePresenceRepository } from 'rookery/testing';
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
class KeepsTheRefused extends MemoryPresenceRepository {
  override join(room: Room, holder: Holder, member: Member, limit: number): Joined {
    const answer = super.join(room, holder, member, limit);
    if (answer.outcome === 'full') super.join(room, holder, member, Infinity);
    return answer;
  }
}
class JoinsNames extends MemoryPresenceRepository {
  override join({ scope, name }: Room, holder: Holder, member: Member, limit: number): Joined {
    return super.join({ scope: '', name: `${scope}/${name}` }, holder, member, limit);
  }
  override roster({ scope, name }: Room): Roster {
    return super.roster({ scope: '', name: `${scope}/${name}` });
  }
}
class SaysFirstOnce extends MemoryPresenceRepository {
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
class ForgetsWhoLeft extends MemoryPresenceRepository {
  private readonly gone = new Set<string>();
  override leave(room: Room, holder: Holder): Left | undefined {
    const isRepeated = this.gone.has(holder.connectionId);
    this.gone.add(holder.connectionId);
    return isRepeated ? undefined : super.leave(room, holder);
  }
}
class BeginsAnew extends MemoryPresenceRepository {
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
class ConfirmsToEverybody extends MemoryPresenceRepository {
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
class TakesOutUsers extends MemoryPresenceRepository {
  override takeOut(nodeId: string, heirId: string): readonly PresenceChange[] {
    return [...super.takeOut(nodeId, heirId), ...super.takeOut('alive', heirId)];
  }
}
class LeavesNothingToTheHeir extends MemoryPresenceRepository {
  override takeOut(nodeId: string): readonly PresenceChange[] {
    return super.takeOut(nodeId, nodeId);
  }
}
class OnlyAddsWhatIsAnnounced extends MemoryPresenceRepository {
  override announce(nodeId: string, held: readonly Presence[]): readonly PresenceChange[] {
    return held.map(({ room, connectionId, member }) => {
      const joined = this.join(room, { nodeId, connectionId }, member, Infinity);
      return { room, member, isPresent: true, version: joined.outcome === 'joined' ? joined.version : 0 };
    });
  }
}

describe('the contract of PresenceRepository rejects an implementation that', () => {
  it.each([
    [AlwaysFirst, 'answers first for the first connection of a user and last for the last'],
    [AlwaysFirst, 'answers first and last once each when a user’s connections come and go at once'],
    [CountsConnections, 'answers each user once, in the order of joining, with the info of their first connection'],
    [CountsConnections, 'lets no more users in than the limit, even when all come at once; who is in may come again'],
    [KeepsTheRefused, 'leaves nothing behind of who was refused'],
    [JoinsNames, 'keeps rooms and scopes apart, whatever their names'],
    [SaysFirstOnce, 'answers a repeated join as it did the first, and counts the connection once'],
    [ForgetsWhoLeft, 'answers a repeated leave as it did the first, and takes nobody else out'],
    [BeginsAnew, 'gives each change a greater version than the room has had, also when it was empty in between'],
    [OldRosters, 'says of a roster which changes it shows'],
    [ConfirmsToEverybody, 'confirms to one alone that a user is gone, and not any more once they have come back'],
    [NewestFirst, 'answers each user once, in the order of joining, with the info of their first connection'],
    [
      TakesOutUsers,
      'takes out all that a dead process held, nobody who has another connection, and says who is gone, once',
    ],
    [LeavesNothingToTheHeir, 'answers what a dead process held back, and again when its heir has died'],
    [OnlyAddsWhatIsAnnounced, 'takes what a process announces for all that it holds, and says what changed'],
    [OnlyAddsWhatIsAnnounced, 'brings back who was taken out of a process that was not dead, and once'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describePresenceRepository, () => new Broken())).toContain(promise);
  });
});
