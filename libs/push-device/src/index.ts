// Using
export * from './platform.js';
export * from './device.js';
export * from './instances/instance.js';
// Extending
export * from './device.repository.js';
export * from './instances/instance.repository.js';
