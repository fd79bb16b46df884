import { expect, it } from 'vitest';
import {
  type BroadcastChannel,
  type BroadcastChannelName,
  type ChannelReservation,
  MemoryLiveActivityRepository,
} from 'rookery/publish';
import { describeLiveActivityRepository } from '@rookery/testing';
import { TypeOrmLiveActivityRepository } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describeNode } from '../support/services.js';
import { brokenPromises } from './broken-promises.js';

describeNode('MemoryLiveActivityRepository', () => {
  describeLiveActivityRepository(() => new MemoryLiveActivityRepository());
});

describeDatabases('TypeOrmLiveActivityRepository', ({ database }) => {
  describeLiveActivityRepository(async () => {
    for (const table of ['broadcast_channels', 'start_tokens'])
      await database().execute(`DELETE FROM rookery_${table}`);
    return new TypeOrmLiveActivityRepository(database());
  });
});

class MixesEnvironments extends MemoryLiveActivityRepository {
  override reserve(name: BroadcastChannelName, reservation: ChannelReservation) {
    return super.reserve({ ...name, environment: 'any' }, reservation);
  }
}
/** As an implementation would that reads first and writes afterwards. */
class ReservesTwice extends MemoryLiveActivityRepository {
  override reserve(name: BroadcastChannelName, reservation: ChannelReservation) {
    const answer = super.reserve(name, reservation);
    return answer === 'busy' ? 'reserved' : answer;
  }
}
class NeverEndsReservations extends MemoryLiveActivityRepository {
  override reserve(name: BroadcastChannelName, reservation: ChannelReservation) {
    return super.reserve(name, { ...reservation, until: Infinity });
  }
}
class KeepsForAnybody extends MemoryLiveActivityRepository {
  private last = '';
  override reserve(name: BroadcastChannelName, reservation: ChannelReservation) {
    const answer = super.reserve(name, reservation);
    if (answer === 'reserved') this.last = reservation.by;
    return answer;
  }
  override keep(channel: BroadcastChannel) {
    return super.keep(channel, this.last);
  }
}
class RemovesAnyChannel extends MemoryLiveActivityRepository {
  override removeChannel(name: BroadcastChannelName): boolean {
    const [channel] = super.channels(name.instanceId, name.environment, [name.interest]);
    return channel !== undefined && super.removeChannel(name, channel.channelId);
  }
}
class KeepsTheFirstToken extends MemoryLiveActivityRepository {
  override setStartToken(instanceId: string, deviceId: string, token: string): void {
    if (super.startTokens(instanceId, [deviceId]).size === 0) super.setStartToken(instanceId, deviceId, token);
  }
}
class RemovesAnyToken extends MemoryLiveActivityRepository {
  override removeStartTokens(instanceId: string, deviceIds: readonly string[]): void {
    super.removeStartTokens(instanceId, deviceIds);
  }
}

describeNode('the contract of LiveActivityRepository rejects an implementation that', () => {
  it.each([
    [MixesEnvironments, 'keeps a channel for each instance, environment, interest and app'],
    [ReservesTwice, 'lets exactly one of concurrent callers create a channel'],
    [NeverEndsReservations, 'gives a reservation to another caller once it is released or has ended'],
    [KeepsForAnybody, 'gives a reservation to another caller once it is released or has ended'],
    [RemovesAnyChannel, 'removes a channel only while it has this id'],
    [KeepsTheFirstToken, 'keeps the latest start token of each device'],
    [RemovesAnyToken, 'removes start tokens, or only a given one'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describeLiveActivityRepository, () => new Broken())).toContain(promise);
  });
});
