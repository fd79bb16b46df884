import { describe } from 'vitest';
import { MemoryChannelRepository, type Occupancy } from 'rookery/channels';
import { describeChannelRepository } from '@rookery/testing';
import { describeBrokenDoubles } from './broken-doubles.js';

const inMemory = () => new MemoryChannelRepository();

describe('MemoryChannelRepository', () => {
  describeChannelRepository(inMemory);
});

describeBrokenDoubles('ChannelRepository', describeChannelRepository, inMemory, (right, double) => ({
  'isolates apps': double('counts all apps together', {
    occupy: (_, ...asked) => right.occupy('one', ...asked),
    subscriptionCounts: (_, channels) => right.subscriptionCounts('one', channels),
  }),
  'adds up the counts of the processes, and reports which calls made a channel occupied and vacated': [
    double('never vacates', {
      occupy(...asked) {
        const answer = right.occupy(...asked);
        const { change, ...latest } = answer;
        return change?.to === 'vacated' ? latest : answer;
      },
    }),
  ],
  'reports occupied to one process and vacated to one, however many join and leave concurrently': 'never vacates',
  'gives a repeated call the first answer, and counts it once': [
    double('adds up', (sums = new Map<string, number>()) => ({
      occupy(appId, channel, nodeId, connections) {
        const key = `${appId} ${channel} ${nodeId}`;
        const sum = connections === 0 ? 0 : (sums.get(key) ?? 0) + connections;
        sums.set(key, sum);
        return right.occupy(appId, channel, nodeId, sum);
      },
    })),
    double('forgets its answer', (held = new Map<string, number>()) => ({
      occupy(appId, channel, nodeId, connections) {
        const key = `${appId} ${channel} ${nodeId}`;
        const isRepeated = held.get(key) === connections;
        held.set(key, connections);
        const { change, ...latest } = right.occupy(appId, channel, nodeId, connections);
        return change && !isRepeated ? { ...latest, change } : latest;
      },
    })),
  ],
  'answers which process holds a vacancy, until it is confirmed or the channel is occupied again': [
    double('says that anyone holds a vacancy', {
      holdsVacancy: (appId, channel, version) =>
        ['a', 'b', 'heir'].some((node) => right.holdsVacancy(appId, channel, version, node)),
    }),
  ],
  'confirms to only one caller that a channel is vacated, and to none once it is occupied again': [
    double('confirms to all', { confirmVacated: () => true }),
  ],
  'gives a repeated call the number as it is now': [
    double('repeats the first number', (answers = new Map<string, Occupancy>()) => ({
      occupy(...asked) {
        const answer = right.occupy(...asked);
        const first = answers.get(asked.join(' ')) ?? answer;
        answers.set(asked.join(' '), first);
        return first;
      },
    })),
  ],
  'gives each number of a channel a greater version than all earlier ones': [
    double('gives every number the same version', {
      occupy: (...asked) => ({ ...right.occupy(...asked), version: 1 }),
    }),
  ],
  'does not repeat a change after a later call of the process': [
    double('repeats changes forever', (latest = new Map<string, Occupancy>()) => ({
      occupy(appId, channel, ...asked) {
        const answer = right.occupy(appId, channel, ...asked);
        if (answer.change) latest.set(channel, answer);
        return { ...latest.get(channel), ...answer };
      },
    })),
  ],
  'answers the unconfirmed changes of a dead process, and again if its heir dies': [
    double('leaves nothing to the heir', { takeOut: (node) => right.takeOut(node, node) }),
  ],
  'lists occupied channels by prefix, without vacated ones': double('ignores the prefix', {
    occupied: (appId) => right.occupied(appId, ''),
  }),
  'lists many channels in short pages': double('answers one long page', {
    occupied: (...asked) => [[...right.occupied(...asked)].flat()],
  }),
  'answers counts in the requested order': double('sorts counts', {
    subscriptionCounts: (appId, channels) => right.subscriptionCounts(appId, channels.toSorted()),
  }),
  'counts a connection once, however often it is admitted or dismissed': [
    double('counts dismissals', (connections = new Map<string, number>()) => ({
      admit(appId, _node, _connection, limit) {
        const count = connections.get(appId) ?? 0;
        if (count < limit) connections.set(appId, count + 1);
        return count < limit;
      },
      dismiss: (appId) => void connections.set(appId, (connections.get(appId) ?? 0) - 1),
    })),
  ],
  'admits connections up to the limit, even concurrently': [
    double('checks first and counts later', (connections = 0) => ({
      async admit(_app, _node, _connection, limit) {
        const fits = connections < limit;
        await Promise.resolve();
        if (fits) connections++;
        return fits;
      },
    })),
  ],
  'removes the entries of a dead process and no others, and reports the changes once': [
    double('keeps quotas of the dead', {
      takeOut: (node) => right.announce(node, { channels: [], admitted: [{ appId: 'app', connectionId: '1.1' }] }),
    }),
  ],
  'replaces the entries of a process by what it announces': double('only adds announcements', {
    announce: (nodeId, { channels }) =>
      channels.map(({ appId, channel, connections }) => ({
        appId,
        channel,
        ...right.occupy(appId, channel, nodeId, connections),
      })),
  }),
  'restores the entries of a process that was wrongly removed, and reports each once': 'only adds announcements',
}));
