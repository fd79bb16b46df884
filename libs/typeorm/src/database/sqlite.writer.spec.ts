import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { until } from '../../../../test/support/until.js';
import { openDatabase } from '../open.js';
import type { Database } from './database.js';
import { SqliteWaiting } from './sqlite-waiting.js';
import { SqliteConnection } from './sqlite.connection.js';
import { SqliteWriter } from './sqlite.writer.js';
import { run } from './statement.js';
import { Wal } from './wal.js';

let folder: string;
let database: Database;
let connection: SqliteConnection;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rookery-writer-'));
  database = await openDatabase(`sqlite:${join(folder, 'rookery.db')}`);
  connection = await SqliteConnection.of(database.dataSource);
  connection.exec('CREATE TABLE notes (text text PRIMARY KEY)');
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

/** A log that is synced when the test says so. */
class SlowWal {
  isSyncing = false;
  synced: Promise<void> = Promise.resolve();
  readonly syncs: { resolve(): void; reject(error: Error): void }[] = [];
  levels: unknown[] = [];

  sync(): Promise<void> {
    this.levels.push(connection.rowsOf({ text: 'PRAGMA synchronous', parameters: [] })[0]);
    this.isSyncing = true;
    const syncing = new Promise<void>((resolve, reject) => this.syncs.push({ resolve, reject }));
    this.synced = syncing.finally(() => (this.isSyncing = false));
    return this.synced;
  }
}

const writerOn = (wal: SlowWal): SqliteWriter =>
  new SqliteWriter(connection, new SqliteWaiting(connection, wal), wal as unknown as Wal);

const turns = async (): Promise<void> => {
  for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve));
};

it('has written what is on the disk, and not what is only committed', async () => {
  const wal = new SlowWal();
  const writer = writerOn(wal);
  const written: string[] = [];
  const write = (text: string) =>
    writer
      .write(() => run('INSERT INTO notes VALUES (?)', [text]))
      .then(
        () => written.push(text),
        (error: unknown) => written.push(String(error)),
      );
  const all = [write('a'), write('b')];
  await turns();
  expect(wal.syncs).toHaveLength(1);
  expect(written).toEqual([]);
  all.push(write('c'));
  await turns();
  wal.syncs[0]!.resolve();
  await turns();
  expect(written).toEqual(['a', 'b']);
  wal.syncs[1]!.reject(new Error('EIO'));
  await Promise.all(all);
  expect(written).toEqual(['a', 'b', 'Error: EIO']);
  // Others that write on this connection still wait for the disk.
  expect(wal.levels).toEqual([{ synchronous: 2 }, { synchronous: 2 }]);
});

it('gives up what a disk that hangs does not take, starts no other sync, and writes again once it has ended', async () => {
  const wal = new SlowWal();
  const writer = writerOn(wal);
  const write = (text: string) => writer.write(() => run('INSERT INTO notes VALUES (?)', [text]));
  await expect(write('hung')).rejects.toThrow('it has not answered for 2 s');
  const began = performance.now();
  await expect(Promise.all([write('later'), write('too')])).rejects.toThrow('it has not answered for 2 s');
  expect(performance.now() - began, 'refused at once').toBeLessThan(500);
  expect(wal.syncs).toHaveLength(1);
  wal.syncs[0]!.resolve();
  const writing = until(
    () =>
      write('last').then(
        () => true,
        () => false,
      ),
    'it writes again',
  );
  await until(() => wal.syncs.length === 2, 'it syncs again');
  wal.syncs[1]!.resolve();
  await writing;
});

it('syncs the log only where SQLite would wait for it at each commit', async () => {
  const [{ mode }] = connection.rowsOf({
    text: 'SELECT journal_mode AS mode FROM pragma_journal_mode',
    parameters: [],
  }) as [{ mode: string }];
  expect(Wal.of(connection) !== undefined).toBe(mode === 'wal');
  connection.exec('PRAGMA synchronous = NORMAL');
  expect(Wal.of(connection)).toBeUndefined();
  connection.exec('PRAGMA synchronous = FULL');
});

it('can be closed more than once', async () => {
  await database.write(() => run('INSERT INTO notes VALUES (?)', ['last']));
  await database.close();
  await expect(database.close()).resolves.toBeUndefined();
});

it('rejects what waits when the database is closed while it is probed', async () => {
  const other = await openDatabase(`sqlite:${join(folder, 'rookery.db')}`);
  const holder = await SqliteConnection.of(other.dataSource);
  holder.exec('BEGIN EXCLUSIVE');
  const statements = vi.spyOn(connection, 'exec');
  const insert = () => run('INSERT INTO notes VALUES (?)', ['late']);
  const outcome = writerOn(new SlowWal()).write(insert).catch(String);
  await until(() => statements.mock.calls.some(([text]) => text.endsWith('ROLLBACK')), 'it is probed');
  await database.close();
  expect(await outcome).toMatch(/is (not open|closed)|has been finalized/);
  await turns();
  holder.exec('ROLLBACK');
  await other.close();
});
