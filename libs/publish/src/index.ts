// Extending
export * from './delivery/push.gateway.js';
