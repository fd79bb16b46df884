export * from './redis.module.js';
export * from './redis.options.js';
export { RedisBroker } from './broker/redis.broker.js';
export * from './connection/redis.connection.js';
export * from './jobs/redis-job.store.js';
export * from './metrics.js';
