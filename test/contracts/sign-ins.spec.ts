import { afterEach, expect, it, vi } from 'vitest';
import { MemorySignIns, type SignIns } from 'rookery/console';
import { describeSignIns } from 'rookery/testing';
import { TypeOrmSignIns } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { brokenPromises } from './broken-promises.js';
import { describeNode } from '../support/services.js';

describeNode('MemorySignIns', () => {
  describeSignIns(() => new MemorySignIns());
});

describeDatabases('TypeOrmSignIns', ({ database }) => {
  const fresh = async () => {
    await database().execute('DELETE FROM rookery_sign_ins');
    return new TypeOrmSignIns(database());
  };
  describeSignIns(fresh);

  it('is shared by all processes, and keeps no expired rows', async () => {
    const [one, other] = [await fresh(), new TypeOrmSignIns(database())];
    await one.begin('over', 0);
    await one.begin('session', 60);
    expect(await other.isOpen('session')).toBe(true);
    await other.end('session');
    expect(await one.isOpen('session')).toBe(false);
    expect(await database().read('SELECT name FROM rookery_sign_ins')).toEqual([]);
  });
});

class FindsAll extends MemorySignIns {
  override isOpen(): boolean {
    return true;
  }
}
class EndsNone extends MemorySignIns {
  override end(): void {}
}
class EndsAll extends MemorySignIns {
  override end(): void {
    Object.assign(this, new MemorySignIns());
  }
}
class NeverExpires extends MemorySignIns {
  override begin(name: string): void {
    super.begin(name, 1e6);
  }
}
class KeepsTheFirstTime extends MemorySignIns {
  override begin(name: string, seconds: number): void {
    if (!this.isOpen(name)) super.begin(name, seconds);
  }
}
/** As a collation would that does not tell them apart. */
class IgnoresCase extends MemorySignIns {
  override begin(name: string, seconds: number): void {
    super.begin(name.toLowerCase(), seconds);
  }
  override isOpen(name: string): boolean {
    return super.isOpen(name.toLowerCase());
  }
}

describeNode('the contract of SignIns rejects an implementation that', () => {
  afterEach(() => void vi.useRealTimers());

  it.each<[new () => SignIns, string]>([
    [FindsAll, 'finds only sessions that were begun'],
    [IgnoresCase, 'finds only sessions that were begun'],
    [EndsNone, 'ends one session, even if repeated, and keeps the others'],
    [EndsAll, 'ends one session, even if repeated, and keeps the others'],
    [NeverExpires, 'ends each session when its own time is over'],
    [KeepsTheFirstTime, 'renews the time of a session that is begun again'],
  ])('%o: %s', async (Broken, promise) => {
    // What is broken is waited for in vain.
    vi.useFakeTimers();
    const broken = brokenPromises(describeSignIns, () => new Broken(), promise);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await broken).toEqual([promise]);
  });
});
