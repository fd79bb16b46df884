import { DataSource, type DataSourceOptions } from 'typeorm';
import { rookeryEntities } from '../entities.js';
import type { Database } from './database.js';
import { PostgresDatabase } from './postgres.database.js';
import { SqliteDatabase } from './sqlite.database.js';

/** How many connections a PostgreSQL pool has when nothing is said. */
const defaultPoolSize = 10;

/** The options of a data source for a URL: `sqlite:<path>`, `sqlite::memory:` or `postgres://…`. */
export function dataSourceOptions(url: string, poolSize = defaultPoolSize): DataSourceOptions {
  if (/^postgres(ql)?:\/\//.test(url)) return { type: 'postgres', url, poolSize, entities: [...rookeryEntities] };
  const [, path] = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(url) ?? [];
  if (!path)
    throw new Error(
      `TypeOrmStorageModule: url must be 'sqlite:data/rookery.db' or 'postgres://user@host/database', got '${withoutPassword(url)}'`,
    );
  return {
    type: 'better-sqlite3',
    database: path,
    entities: [...rookeryEntities],
    // How long SQLite itself waits for another process, blocking this one; after that we wait without blocking.
    timeout: 500,
    enableWAL: true,
    // What was answered as kept survives a power cut too.
    prepareDatabase: (connection: { pragma(text: string): unknown }) => void connection.pragma('synchronous = FULL'),
  };
}

const withoutPassword = (url: string): string => url.replace(/:[^:@/]*@/, ':…@');

/** Rookery's view of a data source, which must be initialized. */
export function databaseOn(dataSource: DataSource): Database {
  const { type } = dataSource.options;
  if (type === 'postgres') return new PostgresDatabase(dataSource);
  if (type === 'better-sqlite3') return new SqliteDatabase(dataSource);
  throw new Error(
    `TypeOrmStorageModule works on data sources of the types 'postgres' and 'better-sqlite3', not '${type}'`,
  );
}

/** Opens the database of a URL. Close it with `database.dataSource.destroy()`. */
export async function openDatabase(url: string, poolSize?: number): Promise<Database> {
  return databaseOn(await new DataSource(dataSourceOptions(url, poolSize)).initialize());
}
