import { describe } from 'vitest';
import { MemorySessionRepository } from 'rookery/channels';
import { describeSessionRepository } from '@rookery/testing';
import { describeBrokenDoubles } from './broken-doubles.js';

const inMemory = () => new MemorySessionRepository();

describe('MemorySessionRepository', () => {
  describeSessionRepository(inMemory);
});

describeBrokenDoubles('SessionRepository', describeSessionRepository, inMemory, (right, double) => ({
  'answers undefined for a new session, and later what any of its connections saved': double('replaces all', {
    save(name, socketId, changes, seconds) {
      const { positions } = right.open(name, socketId, seconds) ?? { positions: [] };
      const gone = positions.map(([channel]) => [channel, null] as const);
      return right.save(name, socketId, { ...changes, positions: [...gone, ...changes.positions] }, seconds);
    },
  }),
  'removes a channel whose position is null': double('never leaves', {
    save(name, socketId, changes, seconds) {
      const positions = changes.positions.filter(([, position]) => position !== null);
      return right.save(name, socketId, { ...changes, positions }, seconds);
    },
  }),
  'accepts no change of a connection once one that was opened later has saved a change': [
    double('accepts any connection', (owners = new Map<string, string>()) => ({
      open(name, socketId, seconds) {
        owners.set(JSON.stringify(name), socketId);
        return right.open(name, socketId, seconds);
      },
      save: (name, _, ...saved) => right.save(name, owners.get(JSON.stringify(name)) ?? '', ...saved),
    })),
  ],
  'leaves the session to the connection that saved last while later ones save no change': [
    double('gives the session to whoever opens it', {
      open(name, socketId, seconds) {
        const saved = right.open(name, socketId, seconds);
        right.save(name, socketId, { positions: [['', null]] }, seconds);
        return saved;
      },
    }),
    double('gives the session to whoever renews it', {
      save(name, socketId, { positions, userId }, seconds) {
        const changes = { positions: [...positions, ['', null] as const], ...(userId === undefined ? {} : { userId }) };
        return right.save(name, socketId, changes, seconds);
      },
    }),
  ],
  // A forgotten connection becomes the latest.
  'adds a connection that it has forgotten after those that were opened later': double('reopens first', {
    open: (name, socketId, seconds) => right.open(name, socketId, seconds),
  }),
  'adds a connection that it has forgotten before those that were opened earlier': double('reopens last', {
    open: (name, socketId, seconds, earlier) => right.open(name, socketId, seconds, earlier && []),
  }),
  'isolates sessions by app, key and id': double('mixes keys', {
    open: (name, socketId, seconds) => right.open({ ...name, key: '' }, socketId, seconds),
    save: (name, ...saved) => right.save({ ...name, key: '' }, ...saved),
  }),
  'does not say that a session may be lost whose id says that it has just begun': double('says it once', {
    open: (name, socketId, seconds) =>
      right.open(name, socketId, seconds) ?? { socketIds: [], positions: [], isLost: true },
  }),
  'says again that a session may be lost, until something is saved of it': 'says it once',
  'forgets a session that was not saved in time, and reports it; each save restarts the time': [
    double('never forgets', {
      open: (name, socketId) => right.open(name, socketId, 600),
      save: (name, socketId, changes) => right.save(name, socketId, changes, 600),
    }),
    double('forgets at once', { save: (name, socketId, changes) => right.save(name, socketId, changes, 0.001) }),
  ],
}));
