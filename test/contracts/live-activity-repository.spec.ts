import { MemoryLiveActivityRepository } from 'rookery/publish';
import { describeLiveActivityRepository } from '@rookery/testing';
import { TypeOrmLiveActivityRepository } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describeNode } from '../support/services.js';
import { describeBrokenDoubles } from './broken-doubles.js';

const inMemory = () => new MemoryLiveActivityRepository();

describeNode('MemoryLiveActivityRepository', () => {
  describeLiveActivityRepository(inMemory);
});

describeDatabases('TypeOrmLiveActivityRepository', ({ database }) => {
  describeLiveActivityRepository(async () => {
    for (const table of ['broadcast_channels', 'start_tokens'])
      await database().execute(`DELETE FROM rookery_${table}`);
    return new TypeOrmLiveActivityRepository(database());
  });
});

describeBrokenDoubles('LiveActivityRepository', describeLiveActivityRepository, inMemory, (right, double) => ({
  'keeps a channel for each instance, environment, interest and app': double('mixes environments', {
    reserve: (name, reservation) => right.reserve({ ...name, environment: 'any' }, reservation),
  }),
  // As an implementation would that reads first and writes afterwards.
  'lets exactly one of concurrent callers create a channel': double('reserves twice', {
    reserve(...asked) {
      const answer = right.reserve(...asked);
      return answer === 'busy' ? 'reserved' : answer;
    },
  }),
  'gives a reservation to another caller once it is released or has ended': [
    double('never ends reservations', {
      reserve: (name, reservation) => right.reserve(name, { ...reservation, until: Infinity }),
    }),
    double('keeps for anybody', (last = '') => ({
      reserve(name, reservation) {
        const answer = right.reserve(name, reservation);
        if (answer === 'reserved') last = reservation.by;
        return answer;
      },
      keep: (channel) => right.keep(channel, last),
    })),
  ],
  'removes a channel only while it has this id': double('removes any channel', {
    removeChannel(name) {
      const [channel] = right.channels(name.instanceId, name.environment, [name.interest]);
      return channel !== undefined && right.removeChannel(name, channel.channelId);
    },
  }),
  'keeps the latest start token of each device': double('keeps the first token', {
    setStartToken(instanceId, deviceId, token) {
      if (right.startTokens(instanceId, [deviceId]).size === 0) right.setStartToken(instanceId, deviceId, token);
    },
  }),
  'removes start tokens, or only a given one': double('removes any token', {
    removeStartTokens: (instanceId, deviceIds) => right.removeStartTokens(instanceId, deviceIds),
  }),
}));
