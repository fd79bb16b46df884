import { ApiError } from '#http';
import { maxDevicesPerUser, maxInterestsPerDevice } from './device.repository.js';
import type { Platform } from './platform.js';

const badRequest = (code: string, description: string) => new ApiError(code, 400, 'Bad request', description);
const notValid = (parameter: string) =>
  new ApiError(`invalid_${parameter.replaceAll('-', '_')}`, 400, 'Bad Request', `\`${parameter}\` given is not valid.`);
const missingClaim = (claim: string) =>
  new ApiError('missing_claim', 400, 'Bad Request', `Missing ${claim} field in JWT`);

const tokenNames: Readonly<Record<Platform, string>> = { apns: 'APNs', fcm: 'FCM', web: 'Web push' };

const missing = (parameter: string) =>
  new ApiError(
    `missing_${parameter.replaceAll('-', '_')}`,
    400,
    'Incomplete Request',
    `\`${parameter}\` param is missing from path.`,
  );

/** Every refusal of the device API, with the texts of beams-wire §8. */
export const refusals = {
  missingInstanceId: () => missing('instance-id'),
  invalidInstanceId: () => notValid('instance-id'),
  instanceNotFound: () => new ApiError('instance_not_found', 404, 'Instance not found', 'Could not find the instance'),
  instanceDisabled: () => new ApiError('instance_disabled', 403, 'Forbidden', 'The instance is disabled'),
  webPushNotConfigured: () =>
    new ApiError('web_push_not_configured', 404, 'Not found', 'Web push is not configured for this instance'),

  missingToken: (platform: Platform) => badRequest('missing_token', `Missing ${tokenNames[platform]} token.`),
  missingTokenField: () => badRequest('missing_token_field', 'Missing token field.'),
  invalidToken: (platform: Platform) =>
    badRequest('invalid_token', `The ${tokenNames[platform]} token given is not valid.`),
  /** Android asks Google for a fresh token when `error` is `InvalidToken` (beams-wire §2.4). */
  incorrectToken: (platform: Platform) =>
    new ApiError(
      'incorrect_token',
      401,
      platform === 'fcm' ? 'InvalidToken' : 'Unauthorized',
      'The device token provided could not be validated against any known credentials',
    ),
  /** The API's "incorrect instance credentials" (api § Errors). */
  noCredentials: (platform: Platform) =>
    new ApiError(
      'no_credentials',
      401,
      'Unauthorized',
      `No ${tokenNames[platform]} credentials are configured for this instance`,
    ),
  missingBundleIdentifier: () => badRequest('missing_bundle_identifier', 'Missing App Bundle Identifier.'),
  unknownEnvironment: () => badRequest('unknown_environment', 'The environment must be production or sandbox.'),
  invalidSubscription: (reason: string) =>
    badRequest('invalid_subscription', `Invalid web push subscription: ${reason}.`),

  tooManyRegistrations: (retryAfterSeconds: number) =>
    new ApiError('too_many_registrations', 429, 'Rate Limited', 'Too many registrations in quick succession.', {
      'Retry-After': String(retryAfterSeconds),
    }),

  tooManyWrites: (retryAfterSeconds: number) =>
    new ApiError('too_many_writes', 429, 'Rate Limited', 'Too many changes of devices in quick succession.', {
      'Retry-After': String(retryAfterSeconds),
    }),

  tooManyReports: (retryAfterSeconds: number) =>
    new ApiError('too_many_reports', 429, 'Rate Limited', 'Too many reports in quick succession.', {
      'Retry-After': String(retryAfterSeconds),
    }),

  missingDeviceId: () => missing('device-id'),
  invalidDeviceId: () => notValid('device-id'),
  deviceNotFound: () => new ApiError('device_not_found', 404, 'Not found', 'Device not found'),
  otherUser: () => new ApiError('other_user', 400, 'Bad Request', 'A User Id is already associated with this device.'),
  tooManyDevices: () =>
    new ApiError(
      'too_many_devices',
      422,
      'Unprocessable Entity',
      `User has reached the maximum of ${maxDevicesPerUser} devices`,
    ),

  invalidLimit: () => notValid('limit'),
  invalidCursor: () => notValid('cursor'),
  missingInterests: () => badRequest('missing_interests', 'Missing interests field.'),
  missingInterestName: () => missing('interest-name'),
  invalidInterest: () =>
    new ApiError('invalid_interest', 400, 'Invalid interest name', '`interest-name` given is not valid.'),
  tooManyInterests: () =>
    new ApiError(
      'too_many_interests',
      400,
      'Interest set too large',
      `A device can have at most ${maxInterestsPerDevice} interests.`,
    ),

  // For the secret key: the publish API answers a missing header with 400, the device API with 401.
  keyMissing: () => new ApiError('key_missing', 400, 'Incomplete Request', 'Authorization header is missing.'),
  localOnly: (id: string) =>
    new ApiError(
      'instance_local_only',
      403,
      'Forbidden',
      `The instance ${id} is for this machine alone, because its secret key is public: ` +
        'ask by http://localhost or an address, from a page of this machine, or configure an instance of your own',
    ),
  incorrectKey: () => new ApiError('incorrect_key', 401, 'Unauthorized', 'Incorrect Secret Key'),

  missingAuthorization: () =>
    new ApiError('missing_authorization', 401, 'Unauthorized', 'Authorization header is missing.'),
  malformedAuthorization: () =>
    new ApiError('malformed_authorization', 401, 'Unauthorized', 'Authorization header is malformed.'),
  invalidClaims: (reason: string) =>
    new ApiError('invalid_claims', 401, 'Unauthorized', `Invalid JWT claims: ${reason}`),
  invalidSignature: () => new ApiError('invalid_signature', 401, 'Unauthorized', 'Invalid JWT signature'),
  missingExpiration: () => missingClaim('expiration (exp)'),
  missingSubject: () => missingClaim('subject (sub)'),
  invalidSubject: () =>
    new ApiError('invalid_subject', 400, 'Bad Request', 'JWT subject (sub) must be between 1-164 characters long'),
  missingIssuer: () => missingClaim('issuer (iss)'),
  invalidIssuer: () => new ApiError('invalid_issuer', 403, 'Forbidden', 'Invalid JWT issuer.'),
  otherUsersPath: () => new ApiError('other_users_path', 403, 'Forbidden', 'The path names another user than the JWT.'),
} as const;
