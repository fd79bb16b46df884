// First, because an older TypeORM could not load the others.
import './supported.js';
// Using
export * from './typeorm-storage.module.js';
export * from './announcements/typeorm-announcement.repository.js';
export * from './apps/typeorm-app.repository.js';
export * from './devices/typeorm-device.repository.js';
export { durableEvents } from './durable-events.js';
export { PostgresClusterModule } from './cluster/postgres-cluster.module.js';
export { PostgresBroker } from './cluster/broker/postgres.broker.js';
export { TypeOrmBroker } from './events/typeorm.broker.js';
export { StorageHealth } from './health/storage-health.js';
export * from './instances/typeorm-instance.repository.js';
export * from './jobs/typeorm-job.store.js';
export * from './live-activities/typeorm-live-activity.repository.js';
export * from './notifications/typeorm-notification.repository.js';
export * from './publishes/typeorm-publish.outbox.js';
export * from './rates/typeorm-parted-request.rates.js';
export * from './rates/typeorm-request.rates.js';
export * from './sessions/typeorm-session.repository.js';
export * from './console/typeorm-console.store.js';
export * from './triggers/typeorm-trigger.outbox.js';
export * from './import/import-devices.js';
export { migrate } from './migrations/migrate.js';
export { rookeryEntities } from './entities.js';
// Extending
export * from './database/database.js';
export { DatabaseUnavailable } from './database/database-unavailable.js';
export { sqliteDriver } from './database/node-sqlite.js';
export { databaseOn } from './open.js';
