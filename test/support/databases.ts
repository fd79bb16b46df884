import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { migrate, openDatabase, type Database } from 'rookery/internal/typeorm';
import { describePostgres, newPostgresDatabase, startPostgres } from './postgres.js';
import { describeNode } from './services.js';

/** A migrated database that lives as long as the surrounding `describe`. */
export interface TestDatabase {
  /** Only inside hooks and tests. */
  readonly database: () => Database;
  readonly url: () => string;
}

/** Runs the tests on SQLite and on PostgreSQL. */
export function describeDatabases(title: string, tests: (on: TestDatabase) => void): void {
  describeNode(`${title} on SQLite`, () => tests(useSqlite()));
  describePostgres(`${title} on PostgreSQL`, () => tests(usePostgres()));
}

export function useSqlite(): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-sqlite-'));
  return useDatabase(
    async () => `sqlite:${join(folder, 'rookery.db')}`,
    async () => rmSync(folder, { recursive: true }),
  );
}

export const usePostgres = (): TestDatabase => useDatabase(newPostgresDatabase, async () => {});

/** On a server of its own, for tests that change the server. */
export function useOwnPostgres(): TestDatabase {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  return useDatabase(
    async () => (server = await startPostgres()).url,
    async () => server.stop(),
  );
}

function useDatabase(start: () => Promise<string>, stop: () => Promise<void>): TestDatabase {
  let database: Database;
  let url: string;
  beforeAll(async () => {
    url = await start();
    database = await openDatabase(url);
    await migrate(database.dataSource);
  });
  afterAll(async () => {
    await database.dataSource.destroy();
    await stop();
  });
  return { database: () => database, url: () => url };
}
