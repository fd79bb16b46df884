import { NestFactory } from '@nestjs/core';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import {
  Database,
  databaseOn,
  dataSourceOptions,
  hasWalResetBug,
  openDatabase,
  run,
  sqliteDriver,
  sqliteJournal,
  TypeOrmStorageModule,
} from 'rookery/internal/typeorm';

const folder = mkdtempSync(join(tmpdir(), 'rookery-journal-'));
const open: Database[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ dataSource }) => dataSource.destroy()));
});
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const newFile = () => `sqlite:${join(folder, `${files++}.db`)}`;
const kept = (database: Database) => {
  open.push(database);
  return database;
};

interface Statement {
  readonly reader: boolean;
  all(...values: readonly unknown[]): readonly unknown[];
}

/** This Node's SQLite, but for what it says it is. */
class OldSqlite extends (sqliteDriver as new (...options: readonly unknown[]) => { prepare(text: string): Statement }) {
  override prepare(text: string): Statement {
    return text.includes('sqlite_version') ? { reader: true, all: () => [{ version: '3.51.2' }] } : super.prepare(text);
  }
}

const openByOld = async (url: string): Promise<Database> => {
  const options = { ...dataSourceOptions(url), driver: OldSqlite } as ReturnType<typeof dataSourceOptions>;
  return kept(await databaseOn(await new DataSource(options).initialize()));
};
const openByNew = async (url: string) => kept(await openDatabase(url));

describe('the WAL-reset bug', () => {
  it.each([
    ['3.6.23', false],
    ['3.7.0', true],
    ['3.44.5', true],
    ['3.44.6', false],
    ['3.45.1', true],
    ['3.49.1', true],
    ['3.50.6', true],
    ['3.50.7', false],
    ['3.51.0', true],
    ['3.51.2', true],
    ['3.51.3', false],
    ['3.52.0', false],
    ['3.53.4', false],
    ['4.7.0', false],
  ])('is in SQLite %s: %s', (version, isIn) => {
    expect(hasWalResetBug(version)).toBe(isIn);
  });
});

describe("a host's own SQLite data source", () => {
  it.each([true, false])(
    'keeps the journal of its options, with a warning where that is at risk: %s',
    async (enableWAL) => {
      const options = {
        type: 'better-sqlite3',
        database: join(folder, `${files++}.db`),
        driver: OldSqlite,
        enableWAL,
      } as const;
      const dataSource = await new DataSource(options).initialize();
      const warn = vi.fn<(sentence: string) => void>();
      const logger = { log: () => undefined, error: () => undefined, warn };
      const app = await NestFactory.createApplicationContext(TypeOrmStorageModule.forRoot({ dataSource }), { logger });
      expect(await sqliteJournal(app.get(Database))).toMatchObject({ mode: enableWAL ? 'wal' : 'delete' });
      const warning = /^SQLite 3\.51\.2 can corrupt .*newer Node.*`enableWAL`/;
      expect(warn.mock.calls.map(([sentence]) => warning.test(sentence))).toEqual(enableWAL ? [true] : []);
      await app.close();
      await dataSource.destroy();
    },
  );
});

describe('a SQLite database', () => {
  it('uses a WAL, but a rollback journal if SQLite has the WAL-reset bug', async () => {
    expect(await sqliteJournal(await openByNew(newFile()))).toMatchObject({ mode: 'wal', hasBug: false });
    const old = { version: '3.51.2', mode: 'truncate', hasBug: true };
    expect(await sqliteJournal(await openByOld(newFile()))).toEqual(old);
  });

  it('syncs to disk at each commit, in both modes', async () => {
    for (const database of [await openByNew(newFile()), await openByOld(newFile())])
      expect(await database.read('PRAGMA synchronous')).toEqual([{ synchronous: 2 }]);
  });

  it('loses no concurrent writes to a rollback journal while others read', async () => {
    const url = newFile();
    const writers = await Promise.all([1, 2, 3, 4].map(() => openByOld(url)));
    await writers[0]!.execute('CREATE TABLE notes (text text PRIMARY KEY)');
    const count = () => writers[1]!.read<{ count: number }>('SELECT COUNT(*) AS count FROM notes');
    const written = writers.flatMap((database, writer) =>
      Array.from({ length: 50 }, async (_, number) => {
        await database.write(function* () {
          yield* run('INSERT INTO notes (text) VALUES (?)', [`${writer} ${number}`]);
        });
        await count();
      }),
    );
    await Promise.all(written);
    expect(await count()).toEqual([{ count: 200 }]);
    expect(await writers[2]!.read('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });

  it('is refused with one line if another process has it open in WAL mode and SQLite has the bug', async () => {
    const url = newFile();
    await (await openByNew(url)).execute('CREATE TABLE notes (text text PRIMARY KEY)');
    await expect(openByOld(url)).rejects.toThrow(
      /^another process has it open in WAL mode, and SQLite 3\.51\.2 can corrupt it when several write: .+$/,
    );
  });
});
