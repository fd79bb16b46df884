import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, open, realpath, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { checkedCopy, removeCopy, sideFiles } from './checked-copy.js';
import { assertUnused } from './unused.js';

/**
 * Replaces a SQLite database by a copy of a backup, and keeps the replaced one beside it, with its log. Changes nothing
 * unless the backup is whole and no process has the database open.
 *
 * @param path the database's file, which need not exist
 * @returns the new path of the replaced database; undefined if there was none
 * @throws Error
 */
export async function restore(path: string, backup: string): Promise<string | undefined> {
  if (existsSync(path) && (await realpath(path)) === (await realpath(backup)))
    throw new Error(`${backup} is the database itself`);
  const part = `${path}.${randomUUID()}`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await checkedCopy(backup, part);
    await giveToOwner(part, existsSync(path) ? path : dirname(path));
    await assertUnused(path);
    const kept = await putAside(path);
    await rename(part, path);
    await syncFolder(dirname(path));
    return kept;
  } finally {
    await removeCopy(part);
  }
}

/** The administrator restores, but the server's own user has to open it. */
async function giveToOwner(part: string, of: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(of);
  await chown(part, uid, gid);
}

/** Renames a database with its log, which would damage its successor. */
async function putAside(path: string): Promise<string | undefined> {
  const had = existsSync(path);
  const kept = `${path}.replaced-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`;
  for (const suffix of ['', ...sideFiles]) if (existsSync(path + suffix)) await rename(path + suffix, kept + suffix);
  return had ? kept : undefined;
}

/** Windows syncs no folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const opened = await open(folder);
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}
