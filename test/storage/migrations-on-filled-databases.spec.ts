import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type DataSource, type QueryRunner, type Table } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate, openDatabase, pendingMigrations, rookeryMigrations } from 'rookery/typeorm';
import { describePostgres, startPostgres } from '../support/postgres.js';

const rowsOfEach = 3;
const steps = rookeryMigrations.slice(0, -1).map(({ name }, index) => ({ name, done: index + 1 }));

describe('migrations of a filled SQLite database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-migrations-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  keepRows(steps, async (name) => `sqlite:${join(folder, `${name}.db`)}`);

  const old = rookeryMigrations.length - 1;
  const copyOf = (file: string) => `${file}.before-migrations`;
  const filesOf = (file: string) => readdirSync(folder).filter((name) => name.startsWith(basename(file)));

  /** A file as the version before this one left it. */
  async function oldFile(name: string): Promise<string> {
    const file = join(folder, `${name}.db`);
    const { dataSource } = await openDatabase(`sqlite:${file}`);
    await migrateUpTo(dataSource, old);
    await fill(dataSource);
    await dataSource.destroy();
    return file;
  }

  it('copy the file first, for nobody else to read, with all that is in it', async () => {
    const file = await oldFile('copied');
    const { dataSource } = await openDatabase(`sqlite:${file}`);
    const before = await counts(dataSource);
    await migrate(dataSource);
    await dataSource.query('DELETE FROM rookery_devices');
    await dataSource.destroy();

    expect(statSync(copyOf(file)).mode & 0o777).toBe(0o600);
    const copy = await openDatabase(`sqlite:${copyOf(file)}`);
    expect(await counts(copy.dataSource)).toEqual(before);
    expect(await pendingMigrations(copy.dataSource)).toEqual([rookeryMigrations[old]!.name]);
    await copy.dataSource.destroy();
  });

  it('copy a file once, however many processes migrate it, and a new or migrated one never', async () => {
    const file = await oldFile('together');
    const others = await Promise.all([1, 2].map(() => openDatabase(`sqlite:${file}`)));
    const applied = await Promise.all(others.map(({ dataSource }) => migrate(dataSource)));
    expect(applied.flat()).toEqual([rookeryMigrations[old]!.name]);
    await Promise.all(others.map(({ dataSource }) => dataSource.destroy()));
    expect(filesOf(file).filter((name) => name.includes('before'))).toEqual([basename(copyOf(file))]);

    const empty = join(folder, 'new.db');
    for (let times = 0; times < 2; times++) {
      const { dataSource } = await openDatabase(`sqlite:${empty}`);
      await migrate(dataSource);
      await dataSource.destroy();
    }
    expect(filesOf(empty).filter((name) => name.includes('before'))).toEqual([]);
  });

  it('are undone when they would leave rows that refer to nothing', async () => {
    const file = await oldFile('stray');
    const { dataSource } = await openDatabase(`sqlite:${file}`);
    await dataSource.query('PRAGMA foreign_keys = OFF');
    await dataSource.query("DELETE FROM rookery_devices WHERE id = 'row 1'");
    await dataSource.query('PRAGMA foreign_keys = ON');
    await expect(migrate(dataSource)).rejects.toThrow('would leave rows in rookery_device_interests');
    expect(await pendingMigrations(dataSource)).toHaveLength(1);
    expect(await dataSource.query('PRAGMA foreign_keys')).toEqual([{ foreign_keys: 1 }]);
    await dataSource.destroy();
  });

  it('wait for a transaction that the host has open on the connection, and keep the rows even then', async () => {
    const { dataSource } = await openDatabase(`sqlite:${join(folder, 'host.db')}`);
    await migrateUpTo(dataSource, 1);
    await fill(dataSource);
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const host = dataSource.transaction(() => ended);
    const migrated = migrate(dataSource);
    await new Promise((resolve) => setImmediate(resolve));
    end();
    await host;
    await migrated;
    expect(await counts(dataSource)).toMatchObject({
      rookery_devices: rowsOfEach,
      rookery_device_interests: rowsOfEach,
    });
    await dataSource.destroy();
  });
});

describePostgres('migrations of a filled PostgreSQL database', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => void (server = await startPostgres()));
  afterAll(() => server.stop());
  // It changes tables as they are, so that a few do.
  const some = steps.filter((_, index) => index % 6 === 0);
  keepRows(some, async (name) => {
    const { dataSource } = await openDatabase(server.url);
    await dataSource.query(`CREATE DATABASE "${name}"`);
    await dataSource.destroy();
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    return url.href;
  });
});

function keepRows(from: typeof steps, newDatabase: (name: string) => Promise<string>): void {
  it.each(from)('keep all rows of one that was last migrated by $name', async ({ name, done }) => {
    const { dataSource } = await openDatabase(await newDatabase(name));
    try {
      await migrateUpTo(dataSource, done);
      await fill(dataSource);
      const before = await counts(dataSource);
      expect(Object.keys(before)).not.toEqual([]);
      for (const count of Object.values(before)) expect(count).toBe(rowsOfEach);

      expect(await migrate(dataSource)).toHaveLength(rookeryMigrations.length - done);
      expect(await counts(dataSource)).toMatchObject(before);
      await expectGuardedInterests(dataSource);
    } finally {
      await dataSource.destroy();
    }
  });
}

/** As an older version left it. */
async function migrateUpTo(dataSource: DataSource, done: number): Promise<void> {
  const runner = dataSource.createQueryRunner();
  if (dataSource.options.type !== 'postgres') await runner.query('PRAGMA synchronous = OFF');
  await runner.query('CREATE TABLE rookery_migrations (name text PRIMARY KEY, applied_at text NOT NULL)');
  for (const migration of rookeryMigrations.slice(0, done)) {
    await new migration().up(runner);
    await runner.query(`INSERT INTO rookery_migrations (name, applied_at) VALUES ('${migration.name}', '')`);
  }
  await runner.release();
}

async function fill(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  const tables = await tablesOf(runner);
  // Those that others refer to come first.
  for (const table of tables.toSorted((a, b) => a.foreignKeys.length - b.foreignKeys.length))
    for (let row = 1; row <= rowsOfEach; row++) await runner.query(insertion(table, row));
  await runner.release();
}

/** The same text in each column, so that a row refers to the row of its number in any other table. */
function insertion({ name, columns }: Table, row: number): string {
  const values = columns.map(({ type }) => (type === 'bigint' ? `${row}` : `'row ${row}'`));
  return `INSERT INTO ${name} (${columns.map((column) => `"${column.name}"`).join(', ')}) VALUES (${values.join(', ')})`;
}

async function counts(dataSource: DataSource): Promise<Readonly<Record<string, number>>> {
  const runner = dataSource.createQueryRunner();
  const found: Record<string, number> = {};
  for (const { name } of await tablesOf(runner)) {
    const [row] = (await runner.query(`SELECT COUNT(*) AS count FROM ${name}`)) as [{ count: number | string }];
    found[name] = Number(row.count);
  }
  await runner.release();
  return found;
}

async function tablesOf(runner: QueryRunner): Promise<readonly Table[]> {
  const tables = await runner.getTables();
  for (const table of tables) table.name = table.name.replace(/^.*\./, '');
  return tables.filter(({ name }) => name.startsWith('rookery_') && name !== 'rookery_migrations');
}

/** Foreign keys hold again: nothing can refer to a device that is not there, and what refers to one goes with it. */
async function expectGuardedInterests(dataSource: DataSource): Promise<void> {
  const interests = () => dataSource.query("SELECT device_id FROM rookery_device_interests WHERE device_id = 'row 1'");
  const stray = "INSERT INTO rookery_device_interests (instance_id, interest, device_id) VALUES ('a', 'b', 'nobody')";
  await expect(dataSource.query(stray)).rejects.toThrow(/foreign key/i);
  expect(await interests()).toHaveLength(1);
  await dataSource.query("DELETE FROM rookery_devices WHERE id = 'row 1'");
  expect(await interests()).toEqual([]);
}
