import type { QueryRunner } from 'typeorm';
import { createIndexes, createTables } from './create-tables.js';
import { partSessions } from './part-sessions.js';
import { takeOver } from './take-over.js';

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
export const migrations: readonly Migration[] = [
  { name: 'FirstRelease1764400000000', up: takeOver },
  { name: 'KeepEvents1764500000000', up: createTables },
  { name: 'ListDevices1764600000000', up: createIndexes },
  { name: 'KeepCharts1764700000000', up: createTables },
  { name: 'KeepLiveActivities1764800000000', up: createTables },
  { name: 'PartSessions1764900000000', up: partSessions },
];
