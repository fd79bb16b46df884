import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { migrate, openDatabase, TypeOrmDeviceRepository } from 'rookery/internal/typeorm';
import { type Instance, vapidKeyName } from 'rookery/internal/push-device';
import type { ServerConfig } from '../../../server/src/config/config.js';
import { databaseFindings, journalFinding, roomFinding } from './database.js';
import type { Finding } from './finding.js';

const folder = mkdtempSync(join(tmpdir(), 'rookery-doctor-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function examined(file: string, instances: readonly Instance[] = []): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for await (const finding of databaseFindings({ databaseUrl: `sqlite:${file}`, instances } as unknown as ServerConfig))
    found.push(finding);
  return found;
}

it('reads the whole SQLite file, and reports a damaged page that no query reads', async () => {
  const file = join(folder, 'rookery.db');
  const database = await openDatabase(`sqlite:${file}`);
  await migrate(database.dataSource);
  await database.dataSource.query(
    `CREATE TABLE filler AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
     SELECT i, randomblob(3000) AS bytes FROM n`,
  );
  const [filler] = await database.read<{ rootpage: number }>(
    "SELECT rootpage FROM sqlite_schema WHERE name = 'filler'",
  );
  // A page in the WAL is read from there.
  await database.dataSource.query('PRAGMA wal_checkpoint(TRUNCATE)');
  await database.dataSource.destroy();
  expect(await examined(file)).toContainEqual({ state: 'ok', about: 'database', text: 'its file is not damaged' });
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(4096, 7), 0, 4096, (filler!.rootpage - 1) * 4096);
  closeSync(handle);
  const found = await examined(file);
  expect(found).toContainEqual({ state: 'ok', about: 'database', text: 'it takes writes' });
  const [fault, ...others] = found.filter(({ state }) => state === 'fault');
  expect(others).toEqual([]);
  expect(fault).toMatchObject({ text: expect.stringMatching(/^its file is damaged: .*page/i) as string });
  expect(fault?.fix).toContain('npx rookery restore');
});

it('asks for another database than one of a revision before the first migration', async () => {
  const file = join(folder, 'old.db');
  const { dataSource } = await openDatabase(`sqlite:${file}`);
  await dataSource.query('CREATE TABLE rookery_migrations (name text PRIMARY KEY, applied_at text NOT NULL)');
  await dataSource.query("INSERT INTO rookery_migrations VALUES ('CreateDevices1763700000000', '')");
  await dataSource.destroy();
  expect((await examined(file)).at(-1)).toEqual({
    state: 'fault',
    about: 'database',
    text: expect.stringMatching(
      /^This database was last migrated by CreateDevices1763700000000, .* older than FirstRelease.* cannot be opened$/,
    ) as string,
    fix: 'Name another database in DATABASE_URL',
  });
});

it('reports the size of the database, and whether its disk has room for a copy', () => {
  const text = '2.5 GB used, 3.0 GB free';
  expect(roomFinding(2.5e9, 3e9)).toEqual({ state: 'ok', about: 'database', text });
  expect(roomFinding(2.5e9, 2e9)).toMatchObject({
    state: 'fault',
    fix: expect.stringContaining('2.5 GB') as string,
  });
  expect(roomFinding(1e6, 50e6)).toMatchObject({ state: 'fault', fix: expect.stringContaining('100.0 MB') as string });
});

it('reports the version of SQLite, and what the WAL-reset bug means for it', () => {
  expect(journalFinding({ version: '3.53.4', mode: 'wal', hasBug: false })).toEqual({
    state: 'ok',
    about: 'database',
    text: 'SQLite 3.53.4, journal mode wal',
  });
  expect(journalFinding({ version: '3.49.1', mode: 'truncate', hasBug: true })).toMatchObject({
    state: 'note',
    text: expect.stringMatching(/^SQLite 3\.49\.1 can corrupt a WAL database .*rollback journal.*newer Node/),
  });
});

it('counts the browsers that depend on each earlier VAPID pair', async () => {
  const file = join(folder, 'vapid.db');
  const database = await openDatabase(`sqlite:${file}`);
  await migrate(database.dataSource);
  const devices = new TypeOrmDeviceRepository(database);
  const [current, earlier, unused, oldest] = ['1', '2', '3', '4'].map((digit) => ({
    vapidPublicKey: `B${digit.repeat(86)}`,
    vapidPrivateKey: 'private',
  }));
  const register = (name: string, instanceId: string, vapidKey?: string) =>
    devices.register(instanceId, { platform: 'web', token: name, metadata: {}, vapidKey }, 0);
  const [id, other] = ['8a0c7a8e-5b2f-4f0e-9f39-0d6e1a2b3c4d', '9a0c7a8e-5b2f-4f0e-9f39-0d6e1a2b3c4d'];
  await register('now', id, vapidKeyName(current!.vapidPublicKey));
  for (const name of ['one', 'two']) await register(name, id, vapidKeyName(earlier!.vapidPublicKey));
  await register('elsewhere', other, vapidKeyName(unused!.vapidPublicKey));
  await register('before names were kept', id);
  await database.dataSource.destroy();
  const web = { ...current!, subject: 'mailto:a@b.example', previous: [earlier!, unused!, oldest!] };
  const found = await examined(file, [{ id: id.toUpperCase(), secretKey: 's', web }]);
  expect(found.filter(({ about }) => about.startsWith('web')).map(({ text }) => text)).toEqual([
    'the earlier VAPID key B222222222222222… is that of 2 browsers: keep its pair',
    'the earlier VAPID key B333333333333333… is that of no browser: remove its pair',
    'the earlier VAPID key B444444444444444… is that of 1 browser: keep its pair',
  ]);
});
