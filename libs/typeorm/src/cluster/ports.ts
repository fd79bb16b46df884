// What processes share in PostgreSQL: each class names its port, and PostgresClusterModule supplies the other modules with
// all. A `schema` has the tables and functions that only the class uses, and what deletes their rows once they expire.
export { PostgresBroker } from './broker/postgres.broker.js';
export { PostgresChannelRepository } from './channels/postgres-channel.repository.js';
export { PostgresIdempotencyKeys } from './idempotency/postgres-idempotency.keys.js';
export { PostgresPresenceRepository } from './presence/postgres-presence.repository.js';
export { PostgresReceiptRepository } from './receipts/postgres-receipt.repository.js';
export { TypeOrmConsoleStore } from '../console/typeorm-console.store.js';
export { TypeOrmPartedRequestRates } from '../rates/typeorm-parted-request.rates.js';
export { TypeOrmSessionRepository } from '../sessions/typeorm-session.repository.js';
