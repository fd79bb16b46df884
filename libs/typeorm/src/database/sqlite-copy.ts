import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { patiently } from './alone-on-sqlite.js';
import type { Database } from './database.js';

/** Runs a statement on the connection of an open database. */
type Query = (text: string, parameters: string[]) => Promise<unknown>;

/**
 * Copies an open SQLite database, including its WAL, to a new file that only its owner can read. Resolves when the copy
 * is on disk. If it fails, it leaves no file.
 */
export async function copySqlite(query: Query, path: string): Promise<void> {
  // SQLite fills an empty file and keeps its mode; the copy contains secrets.
  const file = await open(path, 'wx', 0o600);
  try {
    await query('VACUUM INTO ?', [path]);
    await forgetOrderIn(query, path);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function forgetOrderIn(query: Query, path: string): Promise<void> {
  await query('ATTACH ? AS copied', [path]);
  try {
    await forgetOrder(query, 'copied');
  } finally {
    await query('DETACH copied', []);
  }
}

/**
 * A copy that is used in place of the original lacks the events since. Without the row, it begins an order of its own,
 * and clients receive a gap.
 */
export async function forgetOrder(query: Query, schema: string): Promise<void> {
  const found = await query(`SELECT 1 FROM ${schema}.sqlite_master WHERE name = 'rookery_event_order'`, []);
  if ((found as readonly unknown[]).length > 0) await query(`DELETE FROM ${schema}.rookery_event_order`, []);
}

/**
 * Copies the embedded database while servers write to it: the copy has all writes acknowledged before it began. The
 * file appears under its name only once it is complete.
 * @throws Error on PostgreSQL, or if the file already exists
 */
export async function backUp({ dataSource, dialect }: Database, path: string): Promise<void> {
  if (dialect.name !== 'sqlite') throw new Error('PostgreSQL has its own backups: use pg_dump');
  if (existsSync(path)) throw new Error(`The file ${path} exists already: name a new one`);
  const part = `${path}.${randomUUID()}`;
  await patiently(() => copySqlite((text, parameters) => dataSource.query(text, parameters), part));
  await rename(part, path);
}
