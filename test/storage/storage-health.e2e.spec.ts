import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { Unavailable } from '#common';
import { type Database, migrate, openDatabase, run, StorageHealth, type Work } from 'rookery/internal/typeorm';
import { describeDatabases, usePostgres } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';
import { startPostgres } from '../support/postgres-server.js';
import { describeSmallDisk, SmallDisk } from '../support/small-disk.js';
import { setClockBack } from '../support/set-back.js';
import { until } from '../support/until.js';
import { describeNode } from '../support/services.js';

/** Counts the writes, and has them wait while `hold` is set. */
function watched(database: Database) {
  const seen = { writes: 0, hold: undefined as Promise<void> | undefined };
  const write = async <T>(work: () => Work<T>): Promise<T> => {
    seen.writes += 1;
    await seen.hold;
    return database.write(work);
  };
  const double = { write, assertInPlace: async () => undefined, refusal: database.refusal, dialect: database.dialect };
  return { seen, health: new StorageHealth(double as unknown as Database) };
}

afterEach(() => void vi.restoreAllMocks());

const isHealthy = (health: StorageHealth) =>
  health.check().then(
    () => true,
    () => false,
  );

describeDatabases('the health of the storage', ({ database, url }) => {
  it('writes one row, replacing the last', async () => {
    await Promise.all([1, 2, 3].map(() => new StorageHealth(database()).check()));
    await new StorageHealth(database()).check();
    const rows = await database().read<{ padding: string }>('SELECT padding FROM rookery_storage_checks');
    expect(rows.map(({ padding }) => padding.length)).toEqual([32_768]);
  });

  it('asks the database once for all requests within a second', async () => {
    const { seen, health } = watched(database());
    await Promise.all([health.check(), health.check()]);
    await health.check();
    expect(seen.writes).toBe(1);
  });

  it('does not wait for a hanging write, and starts no other meanwhile', async () => {
    const { seen, health } = watched(database());
    let release = (): void => undefined;
    seen.hold = new Promise((resolve) => (release = resolve));
    await expect(health.check(20)).rejects.toThrow('no write was kept within 20 ms');
    await expect(health.check(20)).rejects.toThrow('no write was kept within 20 ms');
    expect(seen.writes).toBe(1);
    release();
    await until(() => isHealthy(health), 'it is healthy again');
  });

  it('checks again after a second even if the clock was set back', async () => {
    const { seen, health } = watched(database());
    await health.check();
    setClockBack();
    await until(async () => (await health.check(), seen.writes === 2), 'it is asked for again');
  });

  it('fails for a closed database', async () => {
    const closed = await openDatabase(url());
    await closed.dataSource.destroy();
    await expect(new StorageHealth(closed).check()).rejects.toThrow();
  });
});

describeNode('the health of a SQLite file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-health-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each<[string, (file: string) => void, RegExp]>([
    ['was deleted', (file) => rmSync(file), /deleted\.db was deleted or replaced/],
    ['lost its WAL', (file) => rmSync(`${file}-wal`), /WAL\.db-wal was deleted or replaced/],
    ['was replaced', (file) => renameSync(copyOf(file), file), /replaced\.db was deleted or replaced/],
    ['was overwritten', (file) => writeFileSync(file, 'x'.repeat(8192)), /overwritten\.db was overwritten/],
    ['was emptied', (file) => truncateSync(file), /emptied\.db was overwritten/],
  ])('is bad once it %s, even if writes succeed', async (name, damage, sentence) => {
    const file = join(folder, `${name.split(' ').at(-1)}.db`);
    const database = await openDatabase(`sqlite:${file}`);
    await migrate(database.dataSource);
    await new StorageHealth(database).check();
    damage(file);
    await expect(new StorageHealth(database).check()).rejects.toThrow(sentence);
    await database.dataSource.destroy();
  });

  it('is bad once SQLite has found a damaged page, even if other writes succeed', async () => {
    const database = await openDatabase(`sqlite:${join(folder, 'pages.db')}`);
    await migrate(database.dataSource);
    const damaged = database.write(function* (): Work<void> {
      yield* run('SELECT 1');
      throw new Error('database disk image is malformed');
    });
    await expect(damaged).rejects.toThrow(Unavailable);
    await expect(new StorageHealth(database).check()).rejects.toThrow('malformed');
    await database.dataSource.destroy();
  });

  it('is bad once a write found no room, even if smaller ones find some', async () => {
    const database = await openDatabase(`sqlite:${join(folder, 'full.db')}`);
    await migrate(database.dataSource);
    const health = new StorageHealth(database);
    for (let i = 0; i < 3; i++) await new StorageHealth(database).check();
    const [{ page_count: pages }] = await database.dataSource.query('PRAGMA page_count');
    await database.dataSource.query(`PRAGMA max_page_count = ${pages}`);
    await expect(new StorageHealth(database).check(), 'it fits into what earlier ones have freed').resolves.toBe(
      undefined,
    );
    await expect(grow(database)).rejects.toThrow('database or disk is full');
    await untilBad(health, database);
    await database.dataSource.query('PRAGMA max_page_count = 1000000');
    await until(() => isHealthy(health), 'it is healthy again');
    await grow(database);
    await expect(health.check()).resolves.toBeUndefined();
    await database.dataSource.destroy();
  });

  const copyOf = (file: string): string => {
    copyFileSync(file, `${file}.copy`);
    return `${file}.copy`;
  };
});

/** A write of 200 KB, into another table than that of the checks. */
const grow = (database: Database): Promise<unknown> =>
  database.write(function* (): Work<void> {
    yield* run('CREATE TABLE IF NOT EXISTS large_texts (value text)');
    yield* run('INSERT INTO large_texts (value) VALUES (?)', [randomBytes(100_000).toString('hex')]);
  });

/** Until a result of a second ago is no longer reused, and from then on. */
async function untilBad(health: StorageHealth, database: Database): Promise<void> {
  await until(async () => !(await isHealthy(health)), 'it is no longer healthy');
  for (let i = 0; i < 3; i++) await expect(new StorageHealth(database).check()).rejects.toThrow();
}

describePostgres('the health of a PostgreSQL that only answers', () => {
  const { url } = usePostgres();

  it('is bad while it refuses writes, as a replica does, and recovers', async () => {
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

describePostgres('on a small disk', () =>
  describeSmallDisk('the health of PostgreSQL', () => {
    it('is bad once a write found no room, even if there is some within the table that it writes', async () => {
      const disk = SmallDisk.mount(24);
      const server = await startPostgres();
      const owner = await openDatabase(server.url, 1);
      await owner.dataSource.query(`CREATE TABLESPACE small LOCATION '${disk.folder}'`);
      await owner.dataSource.query('CREATE DATABASE on_small TABLESPACE small');
      const database = await openDatabase(server.url.replace(/[^/]+$/, 'on_small'), 2);
      await migrate(database.dataSource);
      const health = new StorageHealth(database);
      for (let i = 0; i < 50; i++) await new StorageHealth(database).check();
      await database.dataSource.query('VACUUM (TRUNCATE false) rookery_storage_checks');
      disk.fill();
      await expect(
        new StorageHealth(database).check(),
        'it fits into the room of earlier ones',
      ).resolves.toBeUndefined();
      await until(
        () =>
          grow(database).then(
            () => false,
            (error: unknown) => error instanceof Unavailable,
          ),
        'it is full',
      );
      await untilBad(health, database);
      disk.clear();
      await until(() => isHealthy(health), 'it is healthy again');
      await grow(database);
      for (const each of [database, owner]) await each.close();
      await server.stop();
      disk.unmount();
    });
  }),
);
