export { type ChannelParams, ChannelPattern } from './channel-pattern.js';
export * from './channel-types.js';
export * from './define-events.js';
export * from './define-requests.js';
export * from './json.js';
export * from './standard-schema.js';
