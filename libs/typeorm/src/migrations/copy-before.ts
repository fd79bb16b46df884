import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import type { QueryRunner } from 'typeorm';

/** A copy of a SQLite file that has not been given its name yet. */
export interface FileCopy {
  keep(): Promise<void>;
  discard(): Promise<void>;
}

const none: FileCopy = { keep: async () => undefined, discard: async () => undefined };

/**
 * Copies a SQLite file, with what its WAL has, so that there is a way back from migrations: kept, it is
 * `<file>.before-migrations`, in place of the copy before. Nothing for a database in memory.
 */
export async function copyOfFile(runner: QueryRunner): Promise<FileCopy> {
  const [main] = (await runner.query("SELECT file FROM pragma_database_list WHERE name = 'main'")) as [
    { file: string },
  ];
  if (!main.file) return none;
  const kept = `${main.file}.before-migrations`;
  const part = `${kept}.${randomUUID()}`;
  const discard = () => rm(part, { force: true });
  try {
    // SQLite fills an empty file and leaves its mode: what is copied holds secrets.
    const file = await open(part, 'wx', 0o600);
    await runner.query('VACUUM INTO ?', [part]);
    await file.sync();
    await file.close();
  } catch (error) {
    await discard();
    throw error;
  }
  return { keep: () => rename(part, kept), discard };
}
