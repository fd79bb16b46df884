import { open, stat } from 'node:fs/promises';

/** The header of a log; without anything after it, there is nothing to apply. */
const walHeaderBytes = 32;

/** The byte of a SQLite file's header that says how it is read: 1 with a rollback journal, 2 with a log. */
const readVersionAt = 19;

/**
 * Refuses a SQLite file with the log of another one beside it, which a replaced file leaves: SQLite would apply it to
 * this file and damage it. A file gets the version 2 before its first log and loses it after its last one, and copies
 * and cleanly closed files have 1.
 * @throws Error
 */
export async function assertOwnLog(path: string): Promise<void> {
  const log = `${path}-wal`;
  // Read twice: another process may just be beginning or ending its log.
  if (!(await isWithoutLog(path)) || !(await isFilled(log)) || !(await isWithoutLog(path))) return;
  throw new Error(
    `${log} is the log of another file, which ${path} has replaced: it would damage this one. Move it and ${path}-shm ` +
      'away; `rookery restore` replaces a database safely',
  );
}

const isFilled = async (log: string): Promise<boolean> => {
  const found = await stat(log).catch(() => undefined);
  return (found?.size ?? 0) > walHeaderBytes;
};

async function isWithoutLog(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  if (!file) return false;
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(1), 0, 1, readVersionAt);
    return bytesRead === 1 && buffer[0] === 1;
  } finally {
    await file.close();
  }
}
