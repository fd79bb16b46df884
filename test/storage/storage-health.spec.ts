import { afterEach, expect, it, vi } from 'vitest';
import { type Database, migrate, openDatabase, StorageHealth, type Work } from 'rookery/typeorm';
import { describeDatabases, usePostgres } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';
import { setClockBack } from '../support/set-back.js';
import { until } from '../support/until.js';

/** Counts the writes, and has them wait while `hold` is set. */
function watched(database: Database) {
  const seen = { writes: 0, hold: undefined as Promise<void> | undefined };
  const write = async <T>(work: () => Work<T>): Promise<T> => {
    seen.writes += 1;
    await seen.hold;
    return database.write(work);
  };
  return { seen, health: new StorageHealth({ write } as Database) };
}

afterEach(() => void vi.restoreAllMocks());

const isHealthy = (health: StorageHealth) =>
  health.check().then(
    () => true,
    () => false,
  );

describeDatabases('the health of the storage', ({ database, url }) => {
  it('writes one row, in place of the last', async () => {
    await Promise.all([1, 2, 3].map(() => new StorageHealth(database()).check()));
    await new StorageHealth(database()).check();
    const rows = await database().read<{ padding: string }>('SELECT padding FROM rookery_storage_checks');
    expect(rows.map(({ padding }) => padding.length)).toEqual([32_768]);
  });

  it('asks the database once for all who ask within a second', async () => {
    const { seen, health } = watched(database());
    await Promise.all([health.check(), health.check()]);
    await health.check();
    expect(seen.writes).toBe(1);
  });

  it('does not wait for a write that hangs, and begins no other meanwhile', async () => {
    const { seen, health } = watched(database());
    let release = (): void => undefined;
    seen.hold = new Promise((resolve) => (release = resolve));
    await expect(health.check(20)).rejects.toThrow('no write was kept within 20 ms');
    await expect(health.check(20)).rejects.toThrow('no write was kept within 20 ms');
    expect(seen.writes).toBe(1);
    release();
    await until(() => isHealthy(health), 'it is healthy again');
  });

  it('is asked for again after a second though the clock was set back', async () => {
    const { seen, health } = watched(database());
    await health.check();
    setClockBack();
    await until(async () => (await health.check(), seen.writes === 2), 'it is asked for again');
  });

  it('takes one that is closed for no storage', async () => {
    const closed = await openDatabase(url());
    await closed.dataSource.destroy();
    await expect(new StorageHealth(closed).check()).rejects.toThrow();
  });
});

describePostgres('the health of a PostgreSQL that only answers', () => {
  const { url } = usePostgres();

  it('is bad while it takes no writes, as a replica does, and good again when it does', async () => {
    const database = await openDatabase(url(), 1);
    await migrate(database.dataSource);
    const health = new StorageHealth(database);
    await database.dataSource.query('SET default_transaction_read_only = on');
    await expect(health.check()).rejects.toThrow('read-only transaction');
    await database.dataSource.query('SET default_transaction_read_only = off');
    await until(() => isHealthy(health), 'it is healthy again');
    await database.dataSource.destroy();
  });
});
