// Using
export * from './memory-job.store.js';
// Extending
export * from './dead-job.js';
export * from './host-transaction.js';
export * from './job.js';
export * from './job.store.js';
