import { DataSource, type DataSourceOptions, DriverPackageNotInstalledError } from 'typeorm';
import type { EventEmitter } from 'node:events';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { rookeryEntities } from './entities.js';
import type { Database } from './database/database.js';
import { DatabaseUnavailable, unavailable } from './database/database-unavailable.js';
import { prepareSqlite } from './database/journal.js';
import { sqliteDriver, standIn } from './database/node-sqlite.js';
import { assertOwnLog } from './database/own-log.js';
import { patienceMs } from './database/postgres-connections.js';
import { PostgresDatabase } from './database/postgres.database.js';
import { SqliteConnection } from './database/sqlite.connection.js';
import { SqliteFiles } from './database/sqlite-files.js';
import { SqliteDatabase } from './database/sqlite.database.js';
import { Wal } from './database/wal.js';

/** The default number of connections of a PostgreSQL pool. */
const defaultPoolSize = 10;

/** The options of a data source for a URL: `sqlite:<path>`, `sqlite::memory:` or `postgres://…`. */
export function dataSourceOptions(url: string, poolSize = defaultPoolSize, listenUrl?: string): DataSourceOptions {
  const entities = [...rookeryEntities];
  if (/^postgres(ql)?:\/\//.test(url)) {
    // Later than work gives up, which says more. Without it, a server that accepts a connection and then hangs would
    // keep a place of the pool for good.
    const connectTimeoutMS = patienceMs + 1000;
    const extra = { ...toleratesConnectionErrors, listenUrl };
    return { type: 'postgres', url, poolSize, entities, connectTimeoutMS, extra };
  }
  const [, path] = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(url) ?? [];
  if (!path)
    throw new DatabaseUnavailable(
      ` must be 'sqlite:data/rookery.db' or 'postgres://user@host/database', got '${schemeOf(url)}'`,
    );
  return {
    type: 'better-sqlite3',
    database: path,
    driver: sqliteDriver,
    entities,
    // How long SQLite itself waits for another process and blocks this one; after that, SqliteWaiting waits without
    // blocking.
    timeout: 500,
    prepareDatabase: prepareSqlite,
  };
}

/** Only the scheme, because a mistyped URL may contain its password anywhere. */
const schemeOf = (url: string): string => {
  const [scheme = ''] = /^[a-z][a-z\d+.-]*:/i.exec(url) ?? [];
  return scheme === url ? url : `${scheme}…`;
};

/** Returns Rookery's database on a data source, which must be initialized. */
export async function databaseOn(dataSource: DataSource): Promise<Database> {
  const { type } = dataSource.options;
  if (type === 'postgres') return new PostgresDatabase(dataSource);
  if (type === 'better-sqlite3') {
    const connection = await SqliteConnection.of(dataSource);
    return new SqliteDatabase(dataSource, connection, await SqliteFiles.of(connection.file), Wal.of(connection));
  }
  throw new Error(
    `TypeOrmStorageModule works on data sources of the types 'postgres' and 'better-sqlite3', not '${type}'`,
  );
}

/**
 * Opens the database of a URL. Close it with `database.dataSource.destroy()`.
 * @throws DatabaseUnavailable if it cannot be opened
 */
export async function openDatabase(url: string, poolSize?: number, listenUrl?: string): Promise<Database> {
  try {
    const options = dataSourceOptions(url, poolSize, listenUrl);
    if (options.type === 'better-sqlite3') {
      await makePrivately(options.database);
      await assertOwnLog(options.database);
    }
    return await databaseOn(await new DataSource(options).initialize());
  } catch (error) {
    if (!(error instanceof DriverPackageNotInstalledError) || !url.startsWith('sqlite:')) throw unavailable(url, error);
    throw new Error(
      `TypeOrmStorageModule: Node ${process.versions.node} has no SQLite of its own. Run \`npm install ${standIn}\` ` +
        `beside Rookery, which compiles nothing, or use Node 22.16 or later`,
      { cause: error },
    );
  }
}

/** Ignored here because the next query on the connection reports the error. */
const ignored = (): void => undefined;

/**
 * Options of pg's pool that listen for errors on each new connection. TypeORM starts to listen only some time after the
 * pool has handed a connection over; if the server closes it in between, the error would crash this process.
 */
const toleratesConnectionErrors = {
  verify(connection: EventEmitter, done: () => void): void {
    connection.on('error', ignored);
    done();
  },
};

/**
 * Creates a missing SQLite file, and its folder, with access only for the owner: SQLite gives its `-wal`, `-shm` and
 * journal files the mode of the database file. Existing files keep their mode.
 */
async function makePrivately(path: string): Promise<void> {
  if (path === ':memory:') return;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    await (await open(path, 'wx', 0o600)).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
