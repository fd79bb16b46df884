import { existsSync } from 'node:fs';
import { readdir, readlink, realpath } from 'node:fs/promises';
import { isBusy } from '../database/busy.js';
import { openDatabase } from '../open.js';

/**
 * Refuses a SQLite file that a process has open. A log locks the file while it is open; a rollback journal does not, so
 * on Linux the open files of the processes are read, too.
 * @throws Error
 */
export async function assertUnused(path: string): Promise<void> {
  if (!existsSync(path)) return;
  const user = await userOf(path);
  if (user !== undefined) throw new Error(`Process ${user} has ${path} open: stop the server first`);
  if (await isLocked(path)) throw new Error(`Another process has ${path} open: stop the server first`);
}

/** The log can end only while no other process has the file open. A damaged file counts as unused. */
async function isLocked(path: string): Promise<boolean> {
  try {
    const { dataSource } = await openDatabase(`sqlite:${path}`);
    try {
      await dataSource.query('PRAGMA journal_mode = DELETE');
    } finally {
      await dataSource.destroy();
    }
    return false;
  } catch (error) {
    return causesOf(error).some(isBusy);
  }
}

function causesOf(error: unknown): readonly unknown[] {
  return error instanceof Error && error.cause !== undefined ? [error, ...causesOf(error.cause)] : [error];
}

/** The id of a process with the file open; undefined if there is none, or where that cannot be read. */
async function userOf(path: string): Promise<string | undefined> {
  const real = await realpath(path);
  const ids = (await namesIn('/proc')).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  for (const id of ids)
    for (const descriptor of await namesIn(`/proc/${id}/fd`))
      if ((await readlink(`/proc/${id}/fd/${descriptor}`).catch(() => '')) === real) return id;
  return undefined;
}

const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);
