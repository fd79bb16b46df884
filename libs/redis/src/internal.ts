// Internal: what other packages and libs of this repository need besides the index. It promises nothing to applications.
export * from './index.js';
export * from './nodes/node-lease.js';
export { redisLocation, redisUrlText } from './redis-url.js';
