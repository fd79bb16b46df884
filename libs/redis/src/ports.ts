// What Redis keeps for all processes: each class names its port, and RedisModule supplies the other modules with all.
export { RedisBroker } from './broker/redis.broker.js';
export { RedisChannelRepository } from './channels/redis-channel.repository.js';
export { RedisConsoleStore } from './console/redis-console.store.js';
export { RedisIdempotencyKeys } from './idempotency/redis-idempotency.keys.js';
export { RedisPresenceRepository } from './presence/redis-presence.repository.js';
export { RedisReceiptRepository } from './receipts/redis-receipt.repository.js';
export { RedisRequestRates } from './limits/redis-request.rates.js';
export { RedisSessionRepository } from './sessions/redis-session.repository.js';
