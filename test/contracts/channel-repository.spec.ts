import { describe, expect, it } from 'vitest';
import { type CachedEvent, type ChannelRepository, MemoryChannelRepository } from 'rookery/channels';
import { channelRepositoryContract } from './channel-repository.contract.js';
import { brokenPromises, itKeeps } from './contract.js';

describe('MemoryChannelRepository', () => {
  itKeeps(channelRepositoryContract, () => ({ port: new MemoryChannelRepository() }));
});

class CountsAllAppsTogether extends MemoryChannelRepository {
  override subscriptionCount(_: string, channel: string): number {
    return super.subscriptionCount('one', channel) + super.subscriptionCount('app', channel);
  }
}
class NeverVacates extends MemoryChannelRepository {
  override unsubscribe(appId: string, channel: string): number {
    return Math.max(super.unsubscribe(appId, channel), 1);
  }
}
function checksThenSets(): ChannelRepository {
  let connections = 0;
  const admit = async (_: string, limit: number): Promise<boolean> => {
    const fits = connections < limit;
    await Promise.resolve();
    if (fits) connections++;
    return fits;
  };
  return Object.assign(new MemoryChannelRepository(), { admit });
}
class IgnoresThePrefix extends MemoryChannelRepository {
  override occupied(appId: string): readonly string[] {
    return super.occupied(appId, '');
  }
}
class RemembersTheFirst extends MemoryChannelRepository {
  override remember(appId: string, channel: string, event: CachedEvent, ttlSeconds: number): void {
    if (!this.recall(appId, channel)) super.remember(appId, channel, event, ttlSeconds);
  }
}
class RemembersForEver extends MemoryChannelRepository {
  override remember(appId: string, channel: string, event: CachedEvent): void {
    super.remember(appId, channel, event, 60);
  }
}

describe('the contract of ChannelRepository rejects an implementation that', () => {
  it.each([
    [CountsAllAppsTogether, 'keeps apps apart'],
    [NeverVacates, 'counts the connections of a channel up from 1 and down to 0'],
    [NeverVacates, 'answers occupied to one and vacated to one, however many come and go at once'],
    [IgnoresThePrefix, 'lists the occupied channels by prefix, and no longer those that were vacated'],
    [RemembersTheFirst, 'remembers the last event of a channel, occupied or not, with the seconds it has left'],
    [RemembersForEver, 'forgets an event when its time is over'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(channelRepositoryContract, () => ({ port: new Broken() }))).toContain(promise);
  });

  it('checks first and counts later: admits as many connections as the limit says', async () => {
    const broken = await brokenPromises(channelRepositoryContract, () => ({ port: checksThenSets() }));
    expect(broken).toContain('admits as many connections as the limit says, even when all come at once');
  });
});
