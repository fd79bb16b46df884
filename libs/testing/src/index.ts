// Contracts of the ports
export * from './contracts/app-repository.contract.js';
export * from './contracts/broker.contract.js';
export * from './contracts/channel-repository.contract.js';
export * from './contracts/device-repository.contract.js';
export * from './contracts/gone-device-repository.contract.js';
export * from './contracts/idempotency-keys.contract.js';
export * from './contracts/instance-repository.contract.js';
export * from './contracts/presence-repository.contract.js';
export * from './contracts/publish-outbox.contract.js';
export * from './contracts/push-gateway.contract.js';
export * from './contracts/report-repository.contract.js';
export * from './contracts/request-rates.contract.js';
export * from './contracts/session-repository.contract.js';
export * from './contracts/trigger-rate.contract.js';
export * from './contracts/webhook-outbox.contract.js';
export type { DescribeContract, Fresh } from './contracts/contract.js';
export type { Runner } from './contracts/runner.js';
export * from './until.js';
