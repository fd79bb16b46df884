import { describe, expect, it } from 'vitest';
import { MemorySessionRepository, type SessionChanges, type SessionName } from 'rookery/channels';
import { describeSessionRepository } from '@rookery/testing';
import { brokenPromises } from './broken-promises.js';

describe('MemorySessionRepository', () => {
  describeSessionRepository(() => new MemorySessionRepository());
});

class ReplacesAll extends MemorySessionRepository {
  override save(name: SessionName, socketId: string, changes: SessionChanges, seconds: number) {
    const { positions } = super.open(name, socketId, seconds) ?? { positions: [] };
    const gone = positions.map(([channel]) => [channel, null] as const);
    return super.save(name, socketId, { ...changes, positions: [...gone, ...changes.positions] }, seconds);
  }
}
class NeverLeaves extends MemorySessionRepository {
  override save(name: SessionName, socketId: string, changes: SessionChanges, seconds: number) {
    const positions = changes.positions.filter(([, position]) => position !== null);
    return super.save(name, socketId, { ...changes, positions }, seconds);
  }
}
class AnyConnection extends MemorySessionRepository {
  private readonly owners = new Map<string, string>();
  override open(name: SessionName, socketId: string, seconds: number) {
    this.owners.set(JSON.stringify(name), socketId);
    return super.open(name, socketId, seconds);
  }
  override save(name: SessionName, _: string, changes: SessionChanges, seconds: number) {
    return super.save(name, this.owners.get(JSON.stringify(name)) ?? '', changes, seconds);
  }
}
class OpenTakes extends MemorySessionRepository {
  override open(name: SessionName, socketId: string, seconds: number) {
    const saved = super.open(name, socketId, seconds);
    super.save(name, socketId, { positions: [['', null]] }, seconds);
    return saved;
  }
}
class RenewalTakes extends MemorySessionRepository {
  override save(name: SessionName, socketId: string, { positions, userId }: SessionChanges, seconds: number) {
    const changes = { positions: [...positions, ['', null] as const], ...(userId === undefined ? {} : { userId }) };
    return super.save(name, socketId, changes, seconds);
  }
}
/** A forgotten connection becomes the latest. */
class ReopensFirst extends MemorySessionRepository {
  override open(name: SessionName, socketId: string, seconds: number) {
    return super.open(name, socketId, seconds);
  }
}
class ReopensLast extends MemorySessionRepository {
  override open(name: SessionName, socketId: string, seconds: number, earlier?: readonly string[]) {
    return super.open(name, socketId, seconds, earlier && []);
  }
}
class OneKey extends MemorySessionRepository {
  override open(name: SessionName, socketId: string, seconds: number) {
    return super.open({ ...name, key: '' }, socketId, seconds);
  }
  override save(name: SessionName, socketId: string, changes: SessionChanges, seconds: number) {
    return super.save({ ...name, key: '' }, socketId, changes, seconds);
  }
}
class NeverForgets extends MemorySessionRepository {
  override open(name: SessionName, socketId: string) {
    return super.open(name, socketId, 600);
  }
  override save(name: SessionName, socketId: string, changes: SessionChanges) {
    return super.save(name, socketId, changes, 600);
  }
}
class ForgetsAtOnce extends MemorySessionRepository {
  override save(name: SessionName, socketId: string, changes: SessionChanges) {
    return super.save(name, socketId, changes, 0.001);
  }
}

class SaysItOnce extends MemorySessionRepository {
  override open(name: SessionName, socketId: string, seconds: number) {
    return super.open(name, socketId, seconds) ?? { socketIds: [], positions: [], isLost: true };
  }
}

describe('the contract of SessionRepository rejects an implementation that', () => {
  it.concurrent.each([
    [ReplacesAll, 'answers undefined for a new session, and later what any of its connections saved'],
    [NeverLeaves, 'removes a channel whose position is null'],
    [AnyConnection, 'accepts no change of a connection once one that was opened later has saved a change'],
    [OpenTakes, 'leaves the session to the connection that saved last while later ones save no change'],
    [RenewalTakes, 'leaves the session to the connection that saved last while later ones save no change'],
    [ReopensFirst, 'adds a connection that it has forgotten after those that were opened later'],
    [ReopensLast, 'adds a connection that it has forgotten before those that were opened earlier'],
    [OneKey, 'isolates sessions by app, key and id'],
    [SaysItOnce, 'does not say that a session may be lost whose id says that it has just begun'],
    [SaysItOnce, 'says again that a session may be lost, until something is saved of it'],
    [NeverForgets, 'forgets a session that was not saved in time, and reports it; each save restarts the time'],
    [ForgetsAtOnce, 'forgets a session that was not saved in time, and reports it; each save restarts the time'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describeSessionRepository, () => new Broken())).toContain(promise);
  });
});
