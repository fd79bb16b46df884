// Using
export { RookeryError, Unavailable } from '#common';
export { isRookeryPath, isRookeryRoute, withRookeryRoutes } from '#http';
export { PushDeviceModule, type PushDevicePorts } from './push-device.module.js';
export * from './push-device.options.js';
export * from './devices.service.js';
export * from './device-tokens.js';
export * from './platform.js';
export * from './apns-environment.js';
export * from './device.js';
export * from './instance.js';
// Extending
export {
  countOf,
  type Implementation,
  isStorable,
  type EditableSettings,
  type Versioned,
  MemoryRequestRates,
  type RequestLimit,
  RequestRates,
  SettingsConflict,
} from '#common';
export * from './device.repository.js';
export type { RemovalReason } from './device-removals.js';
export { tokenIdentity } from './token-identity.js';
export * from './device-id.js';
export { isInterest } from './interest.js';
export { isUserId } from './user-id.js';
export * from './instances/instance.repository.js';
export * from './instances/instances-admin.js';
export * from './instances/configured-instance.repository.js';
export { CurrentInstance, InstanceGuard } from './instances/instance.guard.js';
export { InstanceKeyGuard } from './instances/instance-key.guard.js';
export * from './user-token.guard.js';
export * from './instance-id.js';
// Testing
export * from './memory/memory-device.repository.js';
