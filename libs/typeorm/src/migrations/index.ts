import type { QueryRunner } from 'typeorm';
import { createTables } from './create-tables.js';

/** A step from the tables of one release to those of the next. */
export interface Migration {
  /** Ends with a timestamp. */
  readonly name: string;
  up(runner: QueryRunner): Promise<void>;
}

/**
 * Every migration, oldest first. Add new ones at the end, and never change one after its release. Processes of the
 * release before go on working with the migrated tables, so a migration only adds: remove a column or table one minor
 * version after its last use. A new database is created from the entities and counts as fully migrated.
 */
export const migrations: readonly Migration[] = [{ name: 'FirstRelease1764950000000', up: createTables }];
