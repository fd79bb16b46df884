import type { QueryRunner } from 'typeorm';
import { dataSourceOf } from '../database/data-source-of.js';
import { inSchemaOf } from '../database/schema.js';
import { createMessages } from '../cluster/broker/message-table.js';
import { createSharedState } from '../cluster/shared/shared-tables.js';
import { createMissingTables, createTables } from './create-tables.js';
import { nameDevicesByIdentity } from './token-identities.js';

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
  { name: 'FirstRelease1764950000000', up: createTables },
  { name: 'GoneSince1795734000000', up: (runner) => addDeviceColumn(runner, 'gone_since bigint') },
  { name: 'DroppedDeadJobs1795809600000', up: createMissingTables },
  { name: 'TraceBlocks1795813200000', up: createMissingTables },
  { name: 'ApnsEnvironments1795860000000', up: (runner) => addDeviceColumn(runner, `environment ${textOn(runner)}`) },
  { name: 'VapidKeys1795863600000', up: (runner) => addDeviceColumn(runner, `vapid_key ${textOn(runner)}`) },
  { name: 'TokenIdentities1795888800000', up: nameDevicesByIdentity },
  { name: 'Announcements1795892400000', up: createMissingTables },
  { name: 'SharedTexts1795917600000', up: createMissingTables },
  { name: 'ClusterMessages1795921200000', up: createMessages },
  { name: 'ClusterState1795924800000', up: createSharedState },
  { name: 'EndpointHealths1795996800000', up: createMissingTables },
];

/** As in `columns.ts`. */
const textOn = (runner: QueryRunner): string =>
  dataSourceOf(runner).options.type === 'postgres' ? 'text COLLATE "C"' : 'text';

/** Not `addColumn`: on SQLite it builds the table anew. */
async function addDeviceColumn(runner: QueryRunner, column: string): Promise<void> {
  await runner.query(inSchemaOf(dataSourceOf(runner))(`ALTER TABLE rookery_devices ADD COLUMN ${column}`));
}
