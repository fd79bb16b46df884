import { type describe, inject } from 'vitest';
import { isPostgresInstalled, newDatabaseAt, postgresRoot } from './postgres-server.js';
import { describeWith } from './services.js';

export { makePostgresFolder, startPostgres, startPostgresIn, type TestPostgres } from './postgres-server.js';

/** A `describe` for tests that need PostgreSQL. */
export const describePostgres: typeof describe | typeof describe.skip = describeWith(
  `PostgreSQL (initdb below ${postgresRoot})`,
  isPostgresInstalled,
);

/** The URL of a new database on the server that all specs of this run share. */
export const newPostgresDatabase = (): Promise<string> => newDatabaseAt(inject('postgresUrl'));
