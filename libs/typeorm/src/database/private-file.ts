import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a SQLite file that is not there yet, and its folder, for their owner alone: SQLite gives its `-wal`, `-shm` and
 * journal the mode of the file. What is there already keeps its mode.
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
