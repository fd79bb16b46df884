// Using
export * from './memory-job.store.js';
// Extending
export * from './dead-job.js';
export * from './drop-report.js';
export * from './host-transaction.js';
export * from './job.js';
export * from './job-lease.js';
export * from './job.runner.js';
export * from './job.store.js';
export * from './missing-record.js';
