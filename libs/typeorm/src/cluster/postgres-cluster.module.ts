import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { Broker, ChannelRepository, IdempotencyKeys, ReceiptRepository, SessionRepository } from 'rookery/channels';
import { LeaseStore, NodeLease } from 'rookery/internal/channels';
import { PresenceRepository } from 'rookery/presence';
import { ConsoleStore, importedOnce, type Port, RequestRates, required, supply, ThisNode } from '#common';
import { TypeOrmConsoleStore } from '../console/typeorm-console.store.js';
import { TypeOrmPartedRequestRates } from '../rates/typeorm-parted-request.rates.js';
import { TypeOrmSessionRepository } from '../sessions/typeorm-session.repository.js';
import { Database } from '../database/database.js';
import { PostgresBroker } from './broker/postgres.broker.js';
import { PostgresChannelRepository } from './channels/postgres-channel.repository.js';
import { PostgresIdempotencyKeys } from './idempotency/postgres-idempotency.keys.js';
import { Membership } from './nodes/membership.js';
import { PostgresLeaseStore } from './nodes/postgres-lease.store.js';
import { PostgresPresenceRepository } from './presence/postgres-presence.repository.js';
import { PostgresReceiptRepository } from './receipts/postgres-receipt.repository.js';
import { SharedDatabase } from './shared/shared-database.js';
import { SharedStateSweeps } from './shared/shared-state-sweeps.js';

const need = (module: string, forRoot: string): string =>
  `PostgresClusterModule needs ${module}: add ${module}.${forRoot} to the imports beside it`;

const defaults: ReadonlyMap<Port<unknown>, Type> = new Map<Port<unknown>, Type>([
  [PresenceRepository, PostgresPresenceRepository],
  [ChannelRepository, PostgresChannelRepository],
  [SessionRepository, TypeOrmSessionRepository],
  [ReceiptRepository, PostgresReceiptRepository],
  [Broker, PostgresBroker],
  [IdempotencyKeys, PostgresIdempotencyKeys],
  [RequestRates, TypeOrmPartedRequestRates],
  [ConsoleStore, TypeOrmConsoleStore],
]);

const ports = [...defaults.values(), ...[...defaults].map(([port, implementation]) => supply(port, implementation))];

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
