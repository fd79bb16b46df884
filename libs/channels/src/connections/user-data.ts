import { isStorable } from '#common';
import type { Member } from 'rookery/presence';
import type { ChannelsLimits } from '../app/channels-limits.js';
import type { SignedInUser } from './connection.js';
import { fieldsOf } from '../protocol/json-fields.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { isUserId } from '../protocol/user-id.js';
import { userInfo } from '../protocol/user-info.js';

/** The member that joins a presence channel: from channel_data, otherwise the signed-in user (channels-wire §3.4). */
export function memberOf(
  user: SignedInUser | undefined,
  channelData: string | undefined,
  limits: ChannelsLimits,
): Member {
  if (channelData !== undefined) return memberFrom(channelData, limits);
  if (!user) throw ProtocolError.invalidMember('A presence channel needs channel_data or a signed-in user');
  return user.userInfoJson === undefined ? { userId: user.id } : { userId: user.id, userInfoJson: user.userInfoJson };
}

/**
 * The member in a subscription's channel_data (channels-wire §3.4). A numeric user_id becomes the string of its
 * digits, as they were sent.
 * @throws ProtocolError when channel_data is invalid or too large
 */
export function memberFrom(channelData: string, limits: ChannelsLimits): Member {
  const fields = fieldsOf(channelData, 'channel_data');
  const json = fields.get('user_id') ?? '';
  // The text of a string, or the digits of a number.
  const userId = json.startsWith('"') ? (JSON.parse(json) as string) : /^[-\d]/.exec(json) && json;
  if (!userId) throw ProtocolError.invalidMember('channel_data must have a user_id');
  if (!isStorable(userId)) throw ProtocolError.unstorable('user_id');
  if (!isUserId(userId, limits.userIdLength))
    throw ProtocolError.invalidMember(`user_id is longer than ${limits.userIdLength} characters`);
  return { userId, ...userInfo(fields.get('user_info'), limits.presenceUserBytes) };
}

/**
 * The user in a sign-in's user_data (channels-wire §3.6).
 * @throws ProtocolError when user_data is invalid or too large
 */
export function signedInUser(
  userData: string,
  limits: ChannelsLimits,
): { readonly user: SignedInUser; readonly watchlistIsTooLong: boolean } {
  const fields = fieldsOf(userData, 'user_data');
  const id: unknown = JSON.parse(fields.get('id') ?? 'null');
  const watchlist: unknown = JSON.parse(fields.get('watchlist') ?? 'null') ?? [];
  if (typeof id === 'string' && !isStorable(id)) throw ProtocolError.unstorable('id');
  if (!isUserId(id, limits.userIdLength))
    throw ProtocolError.invalidMember(`user_data must have an id: a string of 1 to ${limits.userIdLength} characters`);
  if (!Array.isArray(watchlist) || !watchlist.every((each) => typeof each === 'string'))
    throw ProtocolError.invalidMember('watchlist must be an array of user ids');
  if (!watchlist.every(isStorable)) throw ProtocolError.unstorable('watchlist');
  const users = [...new Set<string>(watchlist)];
  return {
    user: {
      id,
      watchlist: users.slice(0, limits.watchlistUsers),
      ...userInfo(fields.get('user_info'), limits.presenceUserBytes),
    },
    watchlistIsTooLong: users.length > limits.watchlistUsers,
  };
}
