import type { Member } from 'rookery/presence';
import type { ChannelsLimits } from '../app/channels-limits.js';
import type { Connection } from '../connections/connection.js';
import type { ChannelName } from '../protocol/channel-name.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { subscriptionText, verifyToken } from '../protocol/subscription-token.js';
import { memberFrom } from './members.js';

export interface SubscribeRequest {
  readonly channel: string;
  readonly auth?: string;
  readonly channelData?: string;
}

/**
 * @throws ProtocolError when the request does not authorize the connection for the channel (channels-wire §3.1-§3.4)
 */
export function authorize(
  connection: Connection,
  channel: ChannelName,
  { auth = '', channelData }: SubscribeRequest,
): void {
  switch (channel.access) {
    case 'public':
      return;
    case 'user':
      if (connection.user?.id === channel.userId) return;
      throw ProtocolError.unauthorized(`Not signed in as the user of ${channel.name}`);
    case 'private':
    case 'presence':
      if (connection.revoked?.has(channel.name)) throw ProtocolError.revoked(channel.name);
      return verifyToken(connection.app, subscriptionText(connection.socketId, channel.name, channelData), auth);
    default:
      channel.access satisfies never;
  }
}

/** The member that joins a presence channel: from channel_data, otherwise the signed-in user (channels-wire §3.4). */
export function memberFor({ user }: Connection, { channelData }: SubscribeRequest, limits: ChannelsLimits): Member {
  if (channelData !== undefined) return memberFrom(channelData, limits);
  if (!user) throw ProtocolError.invalidMember('A presence channel needs channel_data or a signed-in user');
  return user.userInfoJson === undefined ? { userId: user.id } : { userId: user.id, userInfoJson: user.userInfoJson };
}
