// Internal: what other packages and libs of this repository need besides the index. It promises nothing to applications.
export * from './index.js';
// Modules that publish
export { isApnsToken } from './apns-token.js';
export { DeviceRemovals, type RemovalListener } from './device-removals.js';
export * as describedPush from './http/described-push.js';
export { DeviceRates } from './http/device-rates.js';
export { rateGuard } from './http/rate.guards.js';
export * from './http/page-parameters.js';
export * from './instances/administered-instance.js';
export * from './instances/default-instance.js';
export { AuthorizationGuard } from './instances/instance-key.guard.js';
export { currentInstance } from './instances/instance.guard.js';
export * from './instances/layered-instance.repository.js';
export { interestPattern, maxInterestLength } from './interest.js';
export { refusals as deviceRefusals } from './push-device.errors.js';
export * from './unseen-devices.js';
export { maxUserIdLength } from './user-id.js';
export * from './web-subscription.js';
// Credentials
export { apnsKey, fcmKey, isApnsKey } from './private-key.js';
export { isVapidPair, type VapidPair, vapidKeyName, vapidPairs } from './vapid-keys.js';
export { isVapidSubject } from './vapid-subject.js';
