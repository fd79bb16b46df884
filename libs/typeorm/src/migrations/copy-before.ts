import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import type { QueryRunner } from 'typeorm';
import { copySqlite } from '../database/sqlite-copy.js';

/** A copy of a SQLite file that does not have its final name yet. */
export interface FileCopy {
  keep(): Promise<void>;
  discard(): Promise<void>;
}

const none: FileCopy = { keep: async () => undefined, discard: async () => undefined };

/**
 * Copies a SQLite file, so that you can go back after migrations. `keep` names the copy `<file>.before-migrations` and
 * replaces the previous one. Skipped for a database in memory.
 */
export async function copyOfFile(runner: QueryRunner): Promise<FileCopy> {
  const [main] = (await runner.query("SELECT file FROM pragma_database_list WHERE name = 'main'")) as [
    { file: string },
  ];
  if (!main.file) return none;
  const kept = `${main.file}.before-migrations`;
  const part = `${kept}.${randomUUID()}`;
  await copySqlite((text, parameters) => runner.query(text, parameters), part);
  return { keep: () => rename(part, kept), discard: () => rm(part, { force: true }) };
}
