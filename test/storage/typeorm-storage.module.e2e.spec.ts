import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource, Entity, PrimaryColumn, type DataSourceOptions } from 'typeorm';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { DeviceRepository, DevicesService, PushDeviceModule } from 'rookery/push-device';
import { Database, migrate, sqliteDriver, TypeOrmDeviceRepository, TypeOrmStorageModule } from 'rookery/typeorm';
import { instance } from '../support/push-app.js';
import { describePostgres, startPostgres } from '../support/postgres.js';
import { describeNode } from '../support/services.js';

@Entity('host_notes')
class HostNote {
  @PrimaryColumn('text')
  id!: string;
}

const folder = mkdtempSync(join(tmpdir(), 'rookery-storage-'));
let files = 0;
const newFile = () => join(folder, `${files++}.db`);
const hostOptions = (file = newFile()): DataSourceOptions => ({
  type: 'better-sqlite3',
  database: file,
  driver: sqliteDriver,
  entities: [HostNote],
  synchronize: true,
});

afterAll(() => rmSync(folder, { recursive: true }));

const running: INestApplicationContext[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((app) => app.close()));
});

type Storage = ReturnType<typeof TypeOrmStorageModule.forRoot>;

async function boot(storage: Storage, ...others: NonNullable<Storage['imports']>) {
  const push = PushDeviceModule.forRoot({ instances: [instance], deviceRepository: TypeOrmDeviceRepository });
  const app = await NestFactory.createApplicationContext(
    { module: class Host {}, imports: [...others, storage, push] },
    { logger: false, abortOnError: false },
  );
  running.push(app);
  return app;
}

const register = async (app: INestApplicationContext, token = 't') =>
  app.get(DevicesService).register(instance.id, { platform: 'fcm', token, metadata: {} });

const deviceCount = async (dataSource: DataSource): Promise<number> => {
  const [row] = (await dataSource.query('SELECT COUNT(*) AS count FROM rookery_devices')) as {
    count: number | string;
  }[];
  return Number(row!.count);
};

describeNode('TypeOrmStorageModule', () => {
  it('keeps devices in the database of a URL, over a restart', async () => {
    const url = `sqlite:${join(folder, 'deep', 'er', 'rookery.db')}`;
    const first = await boot(TypeOrmStorageModule.forRoot({ url }));
    const { id } = await register(first);
    await first.close();
    const second = await boot(TypeOrmStorageModule.forRoot({ url }));
    expect((await register(second)).id).toBe(id);
  });

  it('accepts options from a factory', async () => {
    const storage = TypeOrmStorageModule.forRootAsync({ useFactory: () => ({ url: 'sqlite::memory:' }) });
    expect((await register(await boot(storage))).id).toMatch(/^fcm-/);
  });

  it("keeps devices in the host's data source, which need not have their entities, and leaves it open", async () => {
    const dataSource = await new DataSource(hostOptions()).initialize();
    const app = await boot(TypeOrmStorageModule.forRoot({ dataSource }));
    await register(app);
    await app.close();
    expect(await deviceCount(dataSource)).toBe(1);
    await dataSource.getRepository(HostNote).insert({ id: 'still open' });
    await dataSource.destroy();
  });

  it.each(['default', 'push'])('finds the data source named %s in @nestjs/typeorm', async (name) => {
    const host = TypeOrmModule.forRoot({ ...hostOptions(), name });
    const app = await boot(TypeOrmStorageModule.forRoot({ dataSourceName: name }), host);
    await register(app);
    expect(await deviceCount(app.get(Database).dataSource)).toBe(1);
    expect(app.get(Database).dataSource.entityMetadatas.map(({ tableName }) => tableName)).toEqual(['host_notes']);
  });

  it("survives a host's synchronize and its own migrations: the tables stay separate", async () => {
    const options = hostOptions();
    const dataSource = await new DataSource(options).initialize();
    await register(await boot(TypeOrmStorageModule.forRoot({ dataSource })));
    await dataSource.synchronize();
    await dataSource.runMigrations();
    expect(await deviceCount(dataSource)).toBe(1);
  });

  it('fails the boot for a missing table if migrations are off', async () => {
    const file = newFile();
    const storage = () => TypeOrmStorageModule.forRoot({ url: `sqlite:${file}`, migrations: false });
    await expect(boot(storage())).rejects.toThrow(/lacks FirstRelease\d+.*migrate\(dataSource\)/);
    const dataSource = await new DataSource({ ...hostOptions(file), synchronize: false }).initialize();
    await migrate(dataSource);
    await dataSource.destroy();
    await register(await boot(storage()));
  });

  it.each([
    ['nothing', {}, /name a url, a dataSource or a dataSourceName/],
    ['a URL of another kind', { url: 'mysql://user:hidden@host/db' }, /url must be .* got 'mysql:…'/],
    ['a mistyped URL with a password', { url: 'postgress://user:pa:ss/w@rd@host/db' }, /got 'postgress:…'$/],
    ['a URL without its scheme', { url: '//user:hidden@host/db' }, /got '…'$/],
    ['a URL without a path', { url: 'sqlite:' }, /url must be/],
  ])('says what to write if it is given %s', async (_, options, message) => {
    await expect(boot(TypeOrmStorageModule.forRoot(options))).rejects.toThrow(message);
  });
});

describeNode("writes on a host's SQLite connection", () => {
  it('wait for an open transaction of the host, and are not rolled back with it', async () => {
    const dataSource = await new DataSource(hostOptions()).initialize();
    const app = await boot(TypeOrmStorageModule.forRoot({ dataSource }));
    const devices: Promise<unknown>[] = [];
    const failing = dataSource.transaction(async (manager) => {
      await manager.insert(HostNote, { id: 'undone' });
      for (let number = 0; number < 20; number++) devices.push(register(app, `token ${number}`));
      await new Promise((resolve) => setImmediate(resolve));
      await manager.insert(HostNote, { id: 'undone too' });
      throw new Error('the host changes its mind');
    });
    await expect(failing).rejects.toThrow('the host changes its mind');
    await Promise.all(devices);
    expect(await deviceCount(dataSource)).toBe(20);
    expect(await dataSource.getRepository(HostNote).count()).toBe(0);
  });

  it('neither roll back concurrent writes of the host nor are rolled back with them', async () => {
    const dataSource = await new DataSource(hostOptions()).initialize();
    const app = await boot(TypeOrmStorageModule.forRoot({ dataSource }));
    const database = app.get(Database);
    const failing = Array.from({ length: 50 }, () =>
      database
        .write(function* () {
          yield { text: `INSERT INTO host_notes (id) VALUES ('undone')`, parameters: [] };
          throw new Error('undone');
        })
        .catch((error: Error) => error.message),
    );
    const notes = Array.from({ length: 50 }, (_, id) => dataSource.getRepository(HostNote).insert({ id: `${id}` }));
    expect(await Promise.all(failing)).toEqual(Array(50).fill('undone'));
    await Promise.all(notes);
    expect(await dataSource.getRepository(HostNote).count()).toBe(50);
  });
});

describePostgres('TypeOrmStorageModule on PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  const hostSource = (schema?: string) =>
    new DataSource({ type: 'postgres', url: server.url, schema, entities: [HostNote] }).initialize();

  it("keeps devices in the database of a URL and in a host's data source", async () => {
    const app = await boot(TypeOrmStorageModule.forRoot({ url: server.url, poolSize: 2 }));
    const { id } = await register(app);
    const dataSource = await hostSource();
    const host = await boot(TypeOrmStorageModule.forRoot({ dataSource }));
    expect((await register(host)).id).toBe(id);
    await Promise.all(running.splice(0).map((each) => each.close()));
    expect(await deviceCount(dataSource)).toBe(1);
    await dataSource.destroy();
  });

  it("keeps devices in the schema that the host's data source names", async () => {
    const dataSource = await hostSource('Host Schema');
    await dataSource.query('CREATE SCHEMA "Host Schema"');
    const app = await boot(TypeOrmStorageModule.forRoot({ dataSource }));
    const { id } = await register(app);
    const devices = app.get(DeviceRepository);
    expect(await devices.addInterest(instance.id, 'fcm', id, 'news')).toBe('ok');
    expect(await devices.inAudience(instance.id, { interests: ['news'] }, '', 10)).toMatchObject([{ id }]);
    expect(await migrate(dataSource)).toEqual([]);
    const rows: unknown = await dataSource.query('SELECT id FROM "Host Schema".rookery_devices');
    expect(rows).toEqual([{ id }]);
    await app.close();
    await dataSource.destroy();
  });
});
