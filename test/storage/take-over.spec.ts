import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate, openDatabase, pendingMigrations } from 'rookery/typeorm';
import { restore, revisions } from '../support/kept-databases.js';
import { countRows } from '../support/moved-database.js';
import { describePostgres, startPostgres, type TestPostgres } from '../support/postgres.js';
import { describeNode } from '../support/services.js';

/** Each migration since. */
const all = ['FirstRelease', 'KeepEvents', 'ListDevices', 'KeepCharts', 'KeepLiveActivities', 'PartSessions'].map(
  (name) => expect.stringMatching(new RegExp(String.raw`^${name}\d+$`)),
);

const folder = mkdtempSync(join(tmpdir(), 'rookery-take-over-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = async (): Promise<string> => `sqlite:${join(folder, `${++files}.db`)}`;

describeNode('a SQLite database of another revision', () => {
  isTakenOver(newFile);

  const opened = async (): Promise<{ readonly file: string; readonly dataSource: DataSource }> => {
    const url = await newFile();
    await restore('53a265f', url);
    return { file: url.slice('sqlite:'.length), dataSource: (await openDatabase(url)).dataSource };
  };
  const copyOf = (file: string): string => `${file}.before-migrations`;

  it('is first copied completely, readable only by its owner', async () => {
    const { file, dataSource } = await opened();
    const before = await countRows(`sqlite:${file}`);
    const pending = await pendingMigrations(dataSource);
    await migrate(dataSource);
    await dataSource.query('DELETE FROM rookery_devices');
    await dataSource.destroy();
    expect(statSync(copyOf(file)).mode & 0o777).toBe(0o600);
    expect(await countRows(`sqlite:${copyOf(file)}`)).toEqual(before);
    const copy = await openDatabase(`sqlite:${copyOf(file)}`);
    expect(await pendingMigrations(copy.dataSource)).toEqual(pending);
    await copy.dataSource.destroy();
  });

  it('is copied once, however many processes migrate it, and never if it is new', async () => {
    const { file, dataSource } = await opened();
    const { dataSource: other } = await openDatabase(`sqlite:${file}`);
    const applied = await Promise.all([dataSource, other].map((each) => migrate(each)));
    expect(applied.flat()).toEqual(all);
    const copies = (of: string) => readdirSync(folder).filter((name) => name.startsWith(`${basename(of)}.before`));
    expect(copies(file)).toEqual([basename(copyOf(file))]);

    const url = await newFile();
    const { dataSource: fresh } = await openDatabase(url);
    for (let times = 0; times < 2; times++) await migrate(fresh);
    expect(copies(url)).toEqual([]);
    for (const each of [dataSource, other, fresh]) await each.destroy();
  });

  it('waits for an open transaction of the host', async () => {
    const { dataSource } = await opened();
    let end = (): void => undefined;
    const host = dataSource.transaction(() => new Promise<void>((resolve) => (end = resolve)));
    const migrated = migrate(dataSource);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await pendingMigrations(dataSource)).toEqual(all);
    end();
    await host;
    expect(await migrated).toEqual(all);
    await dataSource.destroy();
  });
});

describePostgres('A PostgreSQL database that another revision wrote', () => {
  let server: TestPostgres;
  beforeAll(async () => void (server = await startPostgres()));
  afterAll(() => server.stop());
  isTakenOver(() => server.newDatabase());
});

function isTakenOver(newDatabase: () => Promise<string>): void {
  const restored = async (revision: string): Promise<{ readonly url: string; readonly dataSource: DataSource }> => {
    const url = await newDatabase();
    await restore(revision, url);
    return { url, dataSource: (await openDatabase(url)).dataSource };
  };

  it.each(revisions)('has the tables of a new database afterwards, and valid foreign keys: %s', async (revision) => {
    const { dataSource } = await restored(revision);
    expect(await migrate(dataSource)).toEqual(all);
    expect(await pendingMigrations(dataSource)).toEqual([]);
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);

    const interests = () => dataSource.query("SELECT 1 FROM rookery_device_interests WHERE interest = 'held'");
    expect(await interests()).toHaveLength(15);
    const stray = "INSERT INTO rookery_device_interests (instance_id, interest, device_id) VALUES ('a', 'b', 'c')";
    await expect(dataSource.query(stray)).rejects.toThrow(/foreign key/i);
    await dataSource.query('DELETE FROM rookery_devices');
    expect(await interests()).toEqual([]);
    await dataSource.destroy();
  });

  it('is migrated from revision 0ead0d6, which added the sign-ins', async () => {
    const { dataSource } = await restored('53a265f');
    await dataSource.query('CREATE TABLE rookery_sign_ins (name text PRIMARY KEY, ends_at bigint NOT NULL)');
    await dataSource.query("INSERT INTO rookery_sign_ins (name, ends_at) VALUES ('admin', 1)");
    await dataSource.query("INSERT INTO rookery_migrations VALUES ('CreateSignIns1764397000000', '')");
    expect(await migrate(dataSource)).toEqual(all);
    expect(await dataSource.query('SELECT name FROM rookery_sign_ins')).toEqual([{ name: 'admin' }]);
    await dataSource.destroy();
  });

  it.each(['53a265f has one migration more', 'a later release'])('is refused in one line: %s', async (which) => {
    const { dataSource } = await restored('53a265f');
    if (which === 'a later release') await dataSource.query('DELETE FROM rookery_migrations');
    const name = which === 'a later release' ? 'NotKnownYet1999000000000' : undefined;
    if (name) await dataSource.query(`INSERT INTO rookery_migrations VALUES ('${name}', '')`);
    else await dataSource.query("DELETE FROM rookery_migrations WHERE name = 'ListPublishes1764396500000'");
    const line = new RegExp(`^This database was last migrated by ${name ?? 'VersionSettings1764396000000'}, which .*$`);
    await expect(migrate(dataSource)).rejects.toThrow(line);
    await expect(pendingMigrations(dataSource)).rejects.toThrow(line);
    await dataSource.destroy();
  });

  it('keeps every one of many webhooks', async () => {
    const { dataSource } = await restored('53a265f');
    await dataSource.query(`WITH RECURSIVE copies(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < 150)
      INSERT INTO rookery_webhooks (id, queue, endpoint, free_at, position, delivery, claim_id)
      SELECT id || '-' || n, queue, endpoint, free_at, position, REPLACE(delivery, id, id || '-' || n), claim_id
      FROM rookery_webhooks, copies`);
    const columns = 'queue, id, free_at, position, claim_id';
    const before = await dataSource.query(`SELECT ${columns} FROM rookery_webhooks ORDER BY id`);
    expect(before).toHaveLength(3 + 3 * 150);
    await migrate(dataSource);
    expect(
      await dataSource.query(`SELECT ${columns} FROM rookery_jobs WHERE queue <> 'publishes' ORDER BY id`),
    ).toEqual(before);
    await dataSource.destroy();
  });

  it('is unchanged if the migration fails', async () => {
    const { url, dataSource } = await restored('53a265f');
    await dataSource.query('CREATE TABLE rookery_jobs (something text)');
    const before = await countRows(url);
    await expect(migrate(dataSource)).rejects.toThrow(/queue/);
    expect(await countRows(url)).toEqual(before);
    expect(await dataSource.query('SELECT platform FROM rookery_publish_lanes LIMIT 1')).toHaveLength(1);
    await dataSource.destroy();
  });
}
