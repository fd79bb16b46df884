// Internal: what other packages and libs of this repository need besides the index. It promises nothing to applications.
export * from './index.js';
export * from './ports.js';
export * from './nodes/redis-lease.store.js';
export { redisLocation, redisUrlText } from './redis-url.js';
