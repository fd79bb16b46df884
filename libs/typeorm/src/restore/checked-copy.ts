import { createReadStream, createWriteStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Database } from '../database/database.js';
import { DatabaseUnavailable } from '../database/database-unavailable.js';
import { assertOwnLog } from '../database/own-log.js';
import { forgetOrder } from '../database/sqlite-copy.js';
import { sqliteHeader } from '../database/sqlite-files.js';
import { pendingMigrations } from '../migrations/migrate.js';
import { openDatabase } from '../open.js';

/** The files of a SQLite database beside its own: the log, its index, and the rollback journal. */
export const sideFiles = ['-wal', '-shm', '-journal'] as const;

/**
 * Copies a backup to `part` and checks it there, so that the backup stays as it is.
 * @throws Error if it is damaged, or no database of Rookery that this version opens
 */
export async function checkedCopy(backup: string, part: string): Promise<void> {
  if ((await beginningOf(backup)) !== sqliteHeader) throw new Error(`${backup} is not a SQLite database`);
  await assertOwnLog(backup);
  await copyPrivately(backup, part);
  const hasLog = (await stat(`${backup}-wal`).catch(() => undefined)) !== undefined;
  if (hasLog) await copyPrivately(`${backup}-wal`, `${part}-wal`);
  const database = await openDatabase(`sqlite:${part}`).catch((error: unknown) => {
    if (!(error instanceof DatabaseUnavailable && error.cause instanceof Error)) throw error;
    throw new Error(`${backup} cannot be opened: ${error.cause.message}`, { cause: error });
  });
  try {
    const fault = await faultOf(database);
    if (fault !== undefined) throw new Error(`${backup} ${fault}`);
    await forgetOrder((text) => database.dataSource.query(text), 'main');
  } finally {
    await database.close();
  }
  await synced(part);
}

async function faultOf(database: Database): Promise<string | undefined> {
  const found = await database.read<{ readonly integrity_check: string }>('PRAGMA integrity_check(1)').then(
    ([row]) => row!.integrity_check,
    (error: Error) => error.message,
  );
  if (found !== 'ok') return `is damaged: ${found.replaceAll(/\s+/g, ' ')}`;
  const [table] = await database.read("SELECT 1 FROM sqlite_master WHERE name = 'rookery_migrations'");
  if (!table) return 'is not a database of Rookery';
  return pendingMigrations(database.dataSource).then(
    () => undefined,
    (error: Error) => `cannot be used. ${error.message}`,
  );
}

async function beginningOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(sqliteHeader.length), 0, sqliteHeader.length, 0);
    return buffer.toString('latin1');
  } finally {
    await file.close();
  }
}

/** It contains secrets, whatever the mode of the backup is. */
const copyPrivately = (from: string, to: string): Promise<void> =>
  pipeline(createReadStream(from), createWriteStream(to, { flags: 'wx', mode: 0o600 }));

async function synced(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Removes a copy, with all that is beside it. */
export const removeCopy = async (part: string): Promise<void> => {
  for (const suffix of ['', ...sideFiles]) await rm(part + suffix, { force: true });
};
