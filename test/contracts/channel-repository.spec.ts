import { describe, expect, it } from 'vitest';
import {
  type ChannelOccupancy,
  type ChannelRepository,
  MemoryChannelRepository,
  type NodeHoldings,
  type Occupancy,
} from 'rookery/channels';
import { describeChannelRepository } from '@rookery/testing';
import { brokenPromises } from './broken-promises.js';

describe('MemoryChannelRepository', () => {
  describeChannelRepository(() => new MemoryChannelRepository());
});

class CountsAllAppsTogether extends MemoryChannelRepository {
  override occupy(_: string, ...args: [string, string, number]): Occupancy {
    return super.occupy('one', ...args);
  }
  override subscriptionCounts(_: string, channels: readonly string[]): readonly number[] {
    return super.subscriptionCounts('one', channels);
  }
}
class NeverVacates extends MemoryChannelRepository {
  override occupy(...args: [string, string, string, number]): Occupancy {
    const answer = super.occupy(...args);
    const { change, ...latest } = answer;
    return change?.to === 'vacated' ? latest : answer;
  }
}
class AddsUp extends MemoryChannelRepository {
  private readonly sums = new Map<string, number>();
  override occupy(appId: string, channel: string, nodeId: string, connections: number): Occupancy {
    const key = `${appId} ${channel} ${nodeId}`;
    this.sums.set(key, connections === 0 ? 0 : (this.sums.get(key) ?? 0) + connections);
    return super.occupy(appId, channel, nodeId, this.sums.get(key)!);
  }
}
class ForgetsItsAnswer extends MemoryChannelRepository {
  private readonly held = new Map<string, number>();
  override occupy(appId: string, channel: string, nodeId: string, connections: number): Occupancy {
    const key = `${appId} ${channel} ${nodeId}`;
    const isRepeated = this.held.get(key) === connections;
    this.held.set(key, connections);
    const { change, ...latest } = super.occupy(appId, channel, nodeId, connections);
    return change && !isRepeated ? { ...latest, change } : latest;
  }
}
class RepeatsChangesForever extends MemoryChannelRepository {
  private readonly latest = new Map<string, Occupancy>();
  override occupy(appId: string, channel: string, nodeId: string, connections: number): Occupancy {
    const answer = super.occupy(appId, channel, nodeId, connections);
    if (answer.change) this.latest.set(channel, answer);
    return { ...this.latest.get(channel), ...answer };
  }
}
class RepeatsTheFirstNumber extends MemoryChannelRepository {
  private readonly answers = new Map<string, Occupancy>();
  override occupy(...args: [string, string, string, number]): Occupancy {
    const key = args.join(' ');
    const answer = super.occupy(...args);
    if (!this.answers.has(key)) this.answers.set(key, answer);
    return this.answers.get(key)!;
  }
}
class GivesEveryNumberTheSameVersion extends MemoryChannelRepository {
  override occupy(...args: [string, string, string, number]): Occupancy {
    return { ...super.occupy(...args), version: 1 };
  }
}
class CountsDismissals extends MemoryChannelRepository {
  private readonly connections = new Map<string, number>();
  override admit(appId: string, _: string, __: string, limit: number): boolean {
    const count = this.connections.get(appId) ?? 0;
    if (count >= limit) return false;
    this.connections.set(appId, count + 1);
    return true;
  }
  override dismiss(appId: string): void {
    this.connections.set(appId, (this.connections.get(appId) ?? 0) - 1);
  }
}
class IgnoresThePrefix extends MemoryChannelRepository {
  override occupied(appId: string): Iterable<readonly string[]> {
    return super.occupied(appId, '');
  }
}
class OneLongPage extends MemoryChannelRepository {
  override occupied(appId: string, prefix: string): Iterable<readonly string[]> {
    return [[...super.occupied(appId, prefix)].flat()];
  }
}
class SortsCounts extends MemoryChannelRepository {
  override subscriptionCounts(appId: string, channels: readonly string[]): readonly number[] {
    return super.subscriptionCounts(appId, channels.toSorted());
  }
}
class KeepsQuotasOfTheDead extends MemoryChannelRepository {
  override takeOut(nodeId: string): readonly ChannelOccupancy[] {
    return super.announce(nodeId, { channels: [], admitted: [{ appId: 'app', connectionId: '1.1' }] });
  }
}
class LeavesNothingToTheHeir extends MemoryChannelRepository {
  override takeOut(nodeId: string): readonly ChannelOccupancy[] {
    return super.takeOut(nodeId, nodeId);
  }
}
class OnlyAddsAnnouncements extends MemoryChannelRepository {
  override announce(nodeId: string, { channels }: NodeHoldings): readonly ChannelOccupancy[] {
    return channels.map(({ appId, channel, connections }) => ({
      appId,
      channel,
      ...this.occupy(appId, channel, nodeId, connections),
    }));
  }
}

class AnyoneHolds extends MemoryChannelRepository {
  override holdsVacancy(appId: string, channel: string, version: number): boolean {
    const nodes = ['a', 'b', 'heir'];
    return nodes.some((node) => super.holdsVacancy(appId, channel, version, node));
  }
}
class ConfirmsToAll extends MemoryChannelRepository {
  override confirmVacated(): boolean {
    return true;
  }
}

function checksThenSets(): ChannelRepository {
  let connections = 0;
  const admit = async (_: string, __: string, ___: string, limit: number): Promise<boolean> => {
    const fits = connections < limit;
    await Promise.resolve();
    if (fits) connections++;
    return fits;
  };
  return Object.assign(new MemoryChannelRepository(), { admit });
}

describe('the contract of ChannelRepository rejects an implementation that', () => {
  it.each([
    [CountsAllAppsTogether, 'isolates apps'],
    [NeverVacates, 'adds up the counts of the processes, and reports which calls made a channel occupied and vacated'],
    [NeverVacates, 'reports occupied to one process and vacated to one, however many join and leave concurrently'],
    [AddsUp, 'gives a repeated call the first answer, and counts it once'],
    [ForgetsItsAnswer, 'gives a repeated call the first answer, and counts it once'],
    [AnyoneHolds, 'answers which process holds a vacancy, until it is confirmed or the channel is occupied again'],
    [ConfirmsToAll, 'confirms to only one caller that a channel is vacated, and to none once it is occupied again'],
    [RepeatsTheFirstNumber, 'gives a repeated call the number as it is now'],
    [GivesEveryNumberTheSameVersion, 'gives each number of a channel a greater version than all earlier ones'],
    [RepeatsChangesForever, 'does not repeat a change after a later call of the process'],
    [LeavesNothingToTheHeir, 'answers the unconfirmed changes of a dead process, and again if its heir dies'],
    [IgnoresThePrefix, 'lists occupied channels by prefix, without vacated ones'],
    [OneLongPage, 'lists many channels in short pages'],
    [SortsCounts, 'answers counts in the requested order'],
    [CountsDismissals, 'counts a connection once, however often it is admitted or dismissed'],
    [KeepsQuotasOfTheDead, 'removes the entries of a dead process and no others, and reports the changes once'],
    [OnlyAddsAnnouncements, 'replaces the entries of a process by what it announces'],
    [OnlyAddsAnnouncements, 'restores the entries of a process that was wrongly removed, and reports each once'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describeChannelRepository, () => new Broken())).toContain(promise);
  });

  it('checks first and counts later: admits connections up to the limit', async () => {
    const broken = await brokenPromises(describeChannelRepository, () => checksThenSets());
    expect(broken).toContain('admits connections up to the limit, even concurrently');
  });
});
