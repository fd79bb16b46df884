import { ApiError } from '#http';
import { unprocessable } from '../../publish.errors.js';

/** A broadcast reaches every listener of the channel. */
export const combinedBroadcast = () =>
  unprocessable('`apns.aps.event`: A broadcast to Live Activities cannot have `allOf` or `noneOf`', 'undeliverable');

/** Devices of users have no channel, and their own tokens update no activity. */
export const updateOfUsers = () =>
  unprocessable(
    '`apns.aps.event`: An update of Live Activities goes to `interests`, whose channels they listen to, or with `apns.push_type` `liveactivity` to devices that registered the tokens of their activities',
    'undeliverable',
  );

export const channelRefused = (description: string) => unprocessable(description, 'channel_refused');

export const appleIsBusy = (reason: string, retryAfterSeconds: number) =>
  new ApiError('apple_is_busy', 503, 'Service Unavailable', `Apple creates and deletes no channels now: ${reason}`, {
    'Retry-After': String(retryAfterSeconds),
  });
