import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DataSource, type QueryRunner } from 'typeorm';
import { afterAll, expect, it } from 'vitest';
import { migrate, openDatabase, pendingMigrations, TypeOrmDeviceRepository } from 'rookery/internal/typeorm';
import { spellingHash } from '../../libs/typeorm/src/devices/device-row.js';
import { migrations } from '../../libs/typeorm/src/migrations/index.js';
import { describeDatabases } from '../support/databases.js';
import { describeNode } from '../support/services.js';

/** As the next release may add one. */
const noteDevices = {
  name: 'NoteDevices1999000000000',
  up: (runner: QueryRunner) => runner.query('ALTER TABLE rookery_devices ADD COLUMN note text'),
};
const ofNextRelease = [...migrations, noteDevices];

describeDatabases('the tables of a new database', ({ database, url }) => {
  it('match the entities', async () => {
    const { upQueries } = await database().dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('are created once, even by processes that start together', async () => {
    await dropAll();
    const names = await pendingMigrations(database().dataSource);
    expect(names).not.toEqual([]);
    const others = await Promise.all([openDatabase(url()), openDatabase(url()), openDatabase(url())]);
    const applied = await Promise.all(others.map(({ dataSource }) => migrate(dataSource)));
    expect(applied.flat()).toEqual(names);
    expect(await pendingMigrations(database().dataSource)).toEqual([]);
    await Promise.all(others.map(({ dataSource }) => dataSource.destroy()));
  });

  it('keep their names in a data source of a host with a table prefix and none of the entities', async () => {
    await dropAll();
    const { options } = database().dataSource;
    const host = await new DataSource({ ...options, entityPrefix: 'host_', entities: [] }).initialize();
    await migrate(host);
    await host.destroy();
    expect(await database().read('SELECT * FROM rookery_jobs')).toEqual([]);
    expect(await pendingMigrations(database().dataSource)).toEqual([]);
  });

  it('are those of a new database after the migrations since the first release, with all devices', async () => {
    const devices = new TypeOrmDeviceRepository(database());
    const { id } = await devices.register('instance', { platform: 'fcm', token: 't', metadata: {} }, 1);
    const since = migrations.slice(1).map(({ name }) => name);
    for (const column of ['gone_since', 'environment', 'vapid_key'])
      await database().execute(`ALTER TABLE rookery_devices DROP COLUMN ${column}`);
    for (const name of since) await database().execute('DELETE FROM rookery_migrations WHERE name = ?', [name]);
    expect(await migrate(database().dataSource)).toEqual(since);
    const { upQueries } = await database().dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
    expect(await devices.find('instance', 'fcm', id)).toMatchObject({
      id,
      goneSince: undefined,
      environment: undefined,
      vapidKey: undefined,
    });
    await devices.remove('instance', 'fcm', id);
  });

  it('name devices by what their tokens mean, and lose nothing of those registered in two spellings', async () => {
    const devices = new TypeOrmDeviceRepository(database());
    const browser = (subscription: object) => Buffer.from(JSON.stringify(subscription)).toString('base64');
    const endpoint = 'https://push.example/1';
    const rows = [
      ['apns-1', 'apns', 'ABCD', 'old 1', 'app', 'alice', 1],
      [
        'apns-2',
        'apns',
        'abcd',
        spellingHash({ platform: 'apns', token: 'abcd', bundleIdentifier: 'app' }),
        'app',
        null,
        2,
      ],
      ['apns-3', 'apns', 'FF', 'old 3', 'app', 'bob', 3],
      ['web-1', 'web', browser({ endpoint, keys: {} }), 'old 4', null, null, 5],
      ['web-2', 'web', browser({ keys: {}, endpoint }), 'old 5', null, 'carol', 4],
      ['fcm-1', 'fcm', 'T', spellingHash({ platform: 'fcm', token: 'T' }), null, null, 6],
    ] as const;
    for (const [id, platform, token, hash, app, user, at] of rows) {
      await database().execute(
        `INSERT INTO rookery_devices
           (id, instance_id, platform, token, token_hash, bundle_identifier, user_id, registered_at, metadata)
         VALUES (?, 'i', ?, ?, ?, ?, ?, ?, '{}')`,
        [id, platform, token, hash, app, user, at],
      );
      await devices.addInterest('i', platform, id, `of ${id}`);
    }
    await database().execute("DELETE FROM rookery_migrations WHERE name LIKE 'TokenIdentities%'");
    await migrate(database().dataSource);
    const kept = await devices.inAudience('i', { interests: rows.map(([id]) => `of ${id}`) }, '', 10);
    expect(kept.map(({ id, token, userId }) => [id, token, userId])).toEqual([
      ['apns-2', 'abcd', 'alice'],
      ['apns-3', 'ff', 'bob'],
      ['fcm-1', 'T', undefined],
      ['web-1', rows[3][2], 'carol'],
    ]);
    expect(await devices.interests('i', 'apns', 'apns-2', '', 10)).toEqual(['of apns-1', 'of apns-2']);
    expect(await devices.interests('i', 'web', 'web-1', '', 10)).toEqual(['of web-1', 'of web-2']);
    const again = { platform: 'web', token: browser({ endpoint, keys: { auth: 'new' } }), metadata: {} } as const;
    expect(await devices.register('i', again, 7)).toMatchObject({ id: 'web-1' });
    for (const { id, platform } of kept) await devices.remove('i', platform, id);
  });

  it('are migrated by the next release once, however many of its processes start together', async () => {
    const { dataSource: other } = await openDatabase(url());
    expect(await pendingMigrations(other, ofNextRelease)).toEqual([noteDevices.name]);
    const applied = await Promise.all([database().dataSource, other].map((each) => migrate(each, ofNextRelease)));
    expect(applied.flat()).toEqual([noteDevices.name]);
    await other.destroy();
    expect(await database().read('SELECT note FROM rookery_devices')).toEqual([]);
    // The release before goes on working with them, and changes nothing.
    expect(await migrate(database().dataSource)).toEqual([]);
  });

  it('are unchanged if a migration fails', async () => {
    const failing = {
      name: 'Failing1999000000000',
      async up(runner: QueryRunner) {
        await runner.query('DROP TABLE rookery_notifications');
        await runner.query('SELECT 1 FROM nowhere');
      },
    };
    const all = [...migrations, failing];
    await expect(migrate(database().dataSource, all)).rejects.toThrow(/nowhere/);
    expect(await database().read('SELECT * FROM rookery_notifications')).toEqual([]);
    expect(await pendingMigrations(database().dataSource, all)).toEqual([failing.name]);
  });

  it('are refused in one line if they are older than the first release', async () => {
    await database().execute('DELETE FROM rookery_migrations');
    await database().execute("INSERT INTO rookery_migrations VALUES ('ListPublishes1764396500000', '')");
    const line =
      /^This database was last migrated by ListPublishes1764396500000, which is older than .*: it cannot be opened$/;
    await expect(migrate(database().dataSource)).rejects.toThrow(line);
    await expect(pendingMigrations(database().dataSource)).rejects.toThrow(line);
    await dropAll();
    await migrate(database().dataSource);
  });

  it('are used unchanged if a later release has migrated them', async () => {
    await database().execute("INSERT INTO rookery_migrations (name, applied_at) VALUES ('Later1999000000000', '')");
    expect(await pendingMigrations(database().dataSource)).toEqual([]);
    expect(await migrate(database().dataSource)).toEqual([]);
  });

  async function dropAll() {
    const runner = database().dataSource.createQueryRunner();
    const names = database().dataSource.entityMetadatas.map(({ tableName }) => tableName);
    // Those that refer to others go first.
    for (const name of [...names.toReversed(), ...names, 'rookery_migrations']) await dropIfUnreferenced(name);
    await runner.release();

    async function dropIfUnreferenced(name: string): Promise<void> {
      const cascade = database().dialect.name === 'postgres' ? 'CASCADE' : '';
      await runner.query(`DROP TABLE IF EXISTS ${name} ${cascade}`);
    }
  }
});

describeNode('a SQLite file that the next release migrates', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-migrations-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let files = 0;

  async function opened() {
    const file = join(folder, `${++files}.db`);
    const { dataSource } = await openDatabase(`sqlite:${file}`);
    await migrate(dataSource);
    await dataSource.query("INSERT INTO rookery_sign_ins (name, ends_at) VALUES ('admin', 1)");
    return { file, dataSource };
  }
  const copyOf = (file: string): string => `${file}.before-migrations`;

  it('is first copied completely, readable only by its owner', async () => {
    const { file, dataSource } = await opened();
    await migrate(dataSource, ofNextRelease);
    await dataSource.query('DELETE FROM rookery_sign_ins');
    await dataSource.destroy();
    expect(statSync(copyOf(file)).mode & 0o777).toBe(0o600);
    const copy = await openDatabase(`sqlite:${copyOf(file)}`);
    expect(await copy.dataSource.query('SELECT name FROM rookery_sign_ins')).toEqual([{ name: 'admin' }]);
    expect(await pendingMigrations(copy.dataSource, ofNextRelease)).toEqual([noteDevices.name]);
    await copy.dataSource.destroy();
  });

  it('is copied once, however many processes migrate it, and never if it is new', async () => {
    const { file, dataSource } = await opened();
    const { dataSource: other } = await openDatabase(`sqlite:${file}`);
    const copies = () => readdirSync(folder).filter((name) => name.startsWith(`${basename(file)}.before`));
    expect(copies()).toEqual([]);
    const applied = await Promise.all([dataSource, other].map((each) => migrate(each, ofNextRelease)));
    expect(applied.flat()).toEqual([noteDevices.name]);
    expect(copies()).toEqual([basename(copyOf(file))]);
    for (const each of [dataSource, other]) await each.destroy();
  });

  it('waits for an open transaction of the host', async () => {
    const { dataSource } = await opened();
    let end = (): void => undefined;
    const host = dataSource.transaction(() => new Promise<void>((resolve) => (end = resolve)));
    const migrated = migrate(dataSource, ofNextRelease);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await pendingMigrations(dataSource, ofNextRelease)).toEqual([noteDevices.name]);
    end();
    await host;
    expect(await migrated).toEqual([noteDevices.name]);
    await dataSource.destroy();
  });
});
