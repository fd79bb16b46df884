export * from './broker/redis.broker.js';
export * from './channels/redis-channel.repository.js';
export * from './presence/redis-presence.repository.js';
export * from './connection/redis.connection.js';
export * from './redis.options.js';
export * from './metrics.js';
export * from './nodes/node-lease.js';
export * from './redis.module.js';
export { redisPlace } from './connection/redis-url.js';
