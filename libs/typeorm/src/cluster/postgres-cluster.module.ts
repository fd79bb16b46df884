import { type DynamicModule, Module } from '@nestjs/common';
import { LeaseStore, NodeLease } from 'rookery/internal/channels';
import { importedOnce, required, supplyAll, ThisNode } from '#common';
import { Database } from '../database/database.js';
import { Membership } from './nodes/membership.js';
import { PostgresLeaseStore } from './nodes/postgres-lease.store.js';
import * as implementations from './ports.js';
import { SharedDatabase } from './shared/shared-database.js';
import { SharedStateSweeps } from './shared/shared-state-sweeps.js';

const need = (module: string, forRoot: string): string =>
  `PostgresClusterModule needs ${module}: add ${module}.${forRoot} to the imports beside it`;

const ports = supplyAll(implementations);

/**
 * The state that processes share, in the PostgreSQL of TypeOrmStorageModule: any number of processes on it are one
 * cluster. Importing it is enough: the other modules use it wherever you name no other implementation.
 */
@Module({
  providers: [
    importedOnce('PostgresClusterModule', 'forRoot()'),
    ...required(
      { missing: need('PresenceModule', 'forRoot()'), services: [ThisNode] },
      { missing: need('TypeOrmStorageModule', 'forRoot({ url })'), services: [Database] },
    ),
    ...ports,
    SharedDatabase,
    { provide: Membership, inject: [Database], useFactory: (database: Database) => Membership.of(database) },
    SharedStateSweeps,
    { provide: LeaseStore, useClass: PostgresLeaseStore },
    NodeLease,
  ],
  exports: [NodeLease, ...ports],
})
export class PostgresClusterModule {
  static forRoot(): DynamicModule {
    return { module: PostgresClusterModule, global: true };
  }
}
