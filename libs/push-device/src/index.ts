// Using
export { RookeryError, Unavailable } from '#common';
export { isRookeryPath, isRookeryRoute, withRookeryRoutes } from '#http';
export * from './push-device.module.js';
export * from './push-device.options.js';
export * from './devices.service.js';
export * from './device-tokens.js';
export * from './unseen-devices.js';
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
export * from './device-removals.js';
export { forgetStartTokens } from './start-tokens.js';
export * from './live-activity.repository.js';
export { isApnsToken } from './apns-token.js';
export { tokenIdentity } from './token-identity.js';
export * from './device-id.js';
export * from './interest.js';
export { DeviceRates } from './http/device-rates.js';
export * from './http/page-parameters.js';
export * from './user-id.js';
export * from './web-subscription.js';
export * from './instances/instance.repository.js';
export * from './instances/default-instance.js';
export * from './instances/instances-admin.js';
export * from './instances/administered-instance.js';
export * from './instances/configured-instance.repository.js';
export * from './instances/layered-instance.repository.js';
export * from './instances/instance.guard.js';
export * from './instances/instance-key.guard.js';
export * from './user-token.guard.js';
export * from './instance-id.js';
export { isVapidPair, type VapidPair, vapidKeyName, vapidPairs } from './vapid-keys.js';
export { isVapidSubject } from './vapid-subject.js';
export { apnsKey, fcmKey, isApnsKey } from './private-key.js';
export { refusals as deviceRefusals } from './push-device.errors.js';
export * as describedPush from './http/description/refusals.js';
// Testing
export * from './memory/memory-device.repository.js';
export * from './memory/memory-live-activity.repository.js';
