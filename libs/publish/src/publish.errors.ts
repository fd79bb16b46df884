import { ApiError } from '#http';
import { deviceRefusals, type Platform } from 'rookery/internal/push-device';

// The errors of the publish, customer and reporting APIs: one function each, worded as in beams-wire §8.

export const { instanceNotFound, missingInstanceId } = deviceRefusals;

export const unprocessable = (description: string, code = 'unprocessable') =>
  new ApiError(code, 422, 'Unprocessable Entity', description);

export const tooManyInterests = () =>
  unprocessable('`interests`: Array must have at most 100 items together with `allOf` and `noneOf`', 'invalid_body');

/** @param reason - a gateway's */
export const undeliverable = (platform: Platform, reason: string) =>
  unprocessable(
    `\`${platform}\`: ${reason === 'PayloadTooLarge' ? 'Must not be larger than the push service accepts' : reason}`,
    'undeliverable',
  );

export const tooManyRequests = (retryAfterSeconds: number, perSecond: number) =>
  new ApiError(
    'too_many_requests',
    429,
    'Rate Limited',
    `Too many requests in quick succession (max ${perSecond} requests per second).`,
    {
      'Retry-After': String(retryAfterSeconds),
    },
  );

export const tooManyWaiting = (retryAfterSeconds: number) =>
  new ApiError('too_many_waiting', 429, 'Rate Limited', 'Too many publishes are waiting to be sent.', {
    'Retry-After': String(retryAfterSeconds),
  });

export const userIdTooLong = () =>
  new ApiError('user_id_too_long', 400, 'Bad request', "'User id' is too long, max length is 164");

export const publishNotFound = () => new ApiError('publish_not_found', 404, 'Not found', 'Publish not found');

export const webhookNotFound = () => new ApiError('webhook_not_found', 404, 'Not found', 'Webhook not found');

export const invalidIdempotencyKey = () =>
  new ApiError(
    'invalid_idempotency_key',
    400,
    'Bad request',
    '`Idempotency-Key` must have 1 to 255 printable ASCII characters.',
  );

export const invalidPublishAt = () =>
  new ApiError(
    'invalid_publish_at',
    400,
    'Bad request',
    '`Publish-At` must be a time as RFC 3339 has it, such as 2026-11-21T09:00:00Z, at most 28 days ahead.',
  );

export const invalidOutcome = () =>
  new ApiError('invalid_outcome', 400, 'Bad Request', '`outcome` given is not valid.');

export const invalidOpenLink = () =>
  new ApiError(
    'invalid_open_link',
    400,
    'Bad request',
    'The link was not made by this server, or its keys have changed.',
  );

export const alreadyFinished = () => new ApiError('already_finished', 409, 'Conflict', 'The publish has finished');

export const keyConflict = () =>
  unprocessable(
    '`Idempotency-Key`: was used for a publish with a different body in the last 24 hours',
    'idempotency_key_reused',
  );

export const invalidInstanceId = () =>
  new ApiError(
    'invalid_instance_id',
    400,
    'Bad Request',
    'The instance id given is invalid. It is expected to be in this format: xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx',
  );

export const unknownInstance = () =>
  new ApiError('instance_not_found', 400, 'Bad Request', 'Could not find the instance');

export const missingField = (field: string) =>
  new ApiError('missing_field', 400, 'Bad request', `\`${field}\` is missing or not valid.`);
