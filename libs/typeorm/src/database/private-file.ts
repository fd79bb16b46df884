import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a missing SQLite file, and its folder, with access only for the owner: SQLite gives its `-wal`, `-shm` and
 * journal files the mode of the database file. Existing files keep their mode.
 */
export async function makePrivately(path: string): Promise<void> {
  if (path === ':memory:') return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await (await open(path, 'wx', 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
