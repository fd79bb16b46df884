// Using
export { RookeryError, Unavailable } from '#common';
export { isRookeryPath, isRookeryRoute } from '#http';
export * from './authorization.module.js';
export { type AuthorizationOptions, AuthorizationPaths, AuthorizationSettings } from './authorization.options.js';
export {
  type AuthenticatedUser,
  type AuthorizerOptions,
  ChannelAuthorizer,
  type ChannelMember,
  isAuthorizer,
  UserAuthenticator,
} from './authorizer.decorators.js';
export * from './parameter.decorators.js';
// Extending
export type { ChannelAnswer } from './http/authorization-endpoints.js';
export type { ChannelToken, UserToken } from './tokens.js';
