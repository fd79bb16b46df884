import { describe, expect, it } from 'vitest';
import { type Joined, type Left, type Member, MemoryPresenceRepository, type Room } from 'rookery/presence';
import { brokenPromises, itKeeps } from './contract.js';
import { presenceRepositoryContract } from './presence-repository.contract.js';

describe('MemoryPresenceRepository', () => {
  itKeeps(presenceRepositoryContract, () => ({ port: new MemoryPresenceRepository() }));
});

class AlwaysFirst extends MemoryPresenceRepository {
  override join(...args: Parameters<MemoryPresenceRepository['join']>): Joined {
    const answer = super.join(...args);
    return answer.outcome === 'full' ? answer : { ...answer, isFirst: true };
  }
}
class CountsConnections extends MemoryPresenceRepository {
  private readonly connections = new Map<string, number>();
  override join(room: Room, id: string, member: Member): Joined {
    this.connections.set(room.name, (this.connections.get(room.name) ?? 0) + 1);
    return super.join(room, id, member, Infinity);
  }
  override memberCount({ name }: Room): number {
    return this.connections.get(name) ?? 0;
  }
}
class KeepsTheRefused extends MemoryPresenceRepository {
  override join(room: Room, id: string, member: Member, limit: number): Joined {
    const answer = super.join(room, id, member, limit);
    if (answer.outcome === 'full') super.join(room, id, member, Infinity);
    return answer;
  }
}
class JoinsNames extends MemoryPresenceRepository {
  override join({ scope, name }: Room, id: string, member: Member, limit: number): Joined {
    return super.join({ scope: '', name: `${scope}/${name}` }, id, member, limit);
  }
  override members({ scope, name }: Room): readonly Member[] {
    return super.members({ scope: '', name: `${scope}/${name}` });
  }
}
class LeavesForEver extends MemoryPresenceRepository {
  override leave(room: Room, id: string): Left {
    return super.leave(room, id) ?? { userId: 'alice', wasLast: false };
  }
}
class EverybodyIsPresent extends MemoryPresenceRepository {
  override present(_: Room, userIds: readonly string[]): readonly string[] {
    return userIds;
  }
}
class NewestFirst extends MemoryPresenceRepository {
  override members(room: Room): readonly Member[] {
    return super.members(room).toReversed();
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
    [LeavesForEver, 'takes a connection that joins twice for one, and one that leaves twice for gone'],
    [EverybodyIsPresent, 'answers who of some users is present'],
    [NewestFirst, 'answers each user once, in the order of joining, with the info of their first connection'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(presenceRepositoryContract, () => ({ port: new Broken() }))).toContain(promise);
  });
});
