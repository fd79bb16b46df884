// Internal: what other packages and libs of this repository need besides the index. It promises nothing to applications.
export * from './index.js';
export * from './drop-report.js';
export * from './job-lease.js';
export * from './job.runner.js';
export * from './missing-record.js';
