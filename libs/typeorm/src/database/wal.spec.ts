import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { until } from '../../../../test/support/until.js';
import { openDatabase } from '../open.js';
import { restore } from '../restore/restore.js';
import { run } from './statement.js';
import { maxLogBytes } from './wal.js';

const folder = mkdtempSync(join(tmpdir(), 'rookery-wal-'));
afterAll(() => rmSync(folder, { recursive: true }));

const opened = async (name: string) => {
  const path = join(folder, name);
  const database = await openDatabase(`sqlite:${path}`);
  await database.execute('CREATE TABLE IF NOT EXISTS notes (id integer PRIMARY KEY, text text)');
  return { path, database };
};

it('cuts a long log once the reader that held it has ended, and nothing is written', async () => {
  const { path, database } = await opened('held.db');
  const reader = await openDatabase(`sqlite:${path}`);
  await reader.dataSource.query('BEGIN');
  await reader.dataSource.query('SELECT COUNT(*) FROM notes');
  const mebibyte = 'x'.repeat(1024 * 1024);
  const sizeOfLog = (): number => statSync(`${path}-wal`).size;
  for (let n = 0; sizeOfLog() <= maxLogBytes; n++)
    await database.write(() => run('INSERT INTO notes VALUES (?, ?)', [n, mebibyte]));
  await database.execute('SELECT 1');
  expect(sizeOfLog(), 'the reader is not disturbed').toBeGreaterThan(maxLogBytes);
  expect(await reader.dataSource.query('SELECT COUNT(*) AS count FROM notes')).toEqual([{ count: 0 }]);
  await reader.dataSource.query('COMMIT');
  await until(() => sizeOfLog() === 0, 'the log is cut');
  expect(await database.read('PRAGMA busy_timeout')).toEqual([{ timeout: 500 }]);
  await reader.close();
  await database.close();
});

it('restores over no database that this process has open', async () => {
  const { path, database } = await opened('open.db');
  const backup = join(folder, 'backup.db');
  await database.dataSource.query('VACUUM INTO ?', [backup]);
  await database.execute('CREATE TABLE rookery_migrations (name text)');
  await expect(restore(path, backup)).rejects.toThrow('backup.db is not a database of Rookery');
  await database.dataSource.query('VACUUM INTO ?', [`${backup}.2`]);
  await expect(restore(path, `${backup}.2`)).rejects.toThrow(`Another process has ${path} open: stop the server first`);
  await database.close();
});

it('refuses the log of another file, and takes its own', async () => {
  const { path, database } = await opened('own.db');
  const [file, log] = [readFileSync(path), readFileSync(`${path}-wal`)];
  const copy = join(folder, 'copy.db');
  const again = async () => (await opened('copy.db')).database.close();
  writeFileSync(copy, file);
  writeFileSync(`${copy}-wal`, log);
  await again();
  await database.close();
  writeFileSync(`${copy}-wal`, log);
  await expect(again()).rejects.toThrow('copy.db-wal is the log of another file, which');
  writeFileSync(`${copy}-wal`, '');
  await again();
});
