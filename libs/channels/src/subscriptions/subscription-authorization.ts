import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Awaitable } from '#common';
import type { Member } from 'rookery/presence';
import { afterUndo } from '../all-of.js';
import type { ChannelsLimits } from '../app/channels-limits.js';
import { ChannelsSettings } from '../channels.options.js';
import type { Connection, Subscription } from '../connections/connection.js';
import { SocketAuthorizer } from '../connections/socket-authorizer.js';
import { Hub } from '../hub/hub.js';
import { type ChannelName, parseChannelName } from '../protocol/channel-name.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { subscriptionText, verifyToken } from '../protocol/subscription-token.js';
import { UsersService } from '../users/users.service.js';
import { memberFrom } from './members.js';

export interface SubscribeRequest {
  readonly channel: string;
  readonly auth?: string;
  readonly channelData?: string;
}

/** The first step of a subscription: whether the connection may join the channel, and as which member. */
@Injectable()
export class SubscriptionAuthorization {
  constructor(
    private readonly hub: Hub,
    private readonly users: UsersService,
    @Optional() @Inject(SocketAuthorizer) private readonly authorizer: SocketAuthorizer | undefined,
    private readonly settings: ChannelsSettings,
  ) {}

  /**
   * Touches no shared state unless the host is asked, so that an unauthorized request is cheap.
   * @throws ProtocolError when the request does not authorize the connection for the channel (channels-wire §3.1-§3.4)
   */
  subscriptionFor(connection: Connection, request: SubscribeRequest): Awaitable<Subscription> {
    const channel = parseChannelName(request.channel, this.settings.limits);
    if (!channel) throw ProtocolError.invalidChannel();
    if (connection.subscriptions?.has(channel.name)) throw ProtocolError.alreadySubscribed(channel.name);
    const { subscriptions: most } = this.settings.limits;
    if ((connection.subscriptions?.size ?? 0) >= most) throw ProtocolError.tooManySubscriptions(most);
    if (this.isHostAsked(channel, request)) return this.askHost(connection, channel);
    checkToken(connection, channel, request);
    if (channel.access !== 'presence') return { channel };
    return { channel, member: memberFor(connection, request, this.settings.limits) };
  }

  private isHostAsked({ access }: ChannelName, { auth = '' }: SubscribeRequest): boolean {
    return auth === '' && this.authorizer?.isOn === true && (access === 'private' || access === 'presence');
  }

  // The host is asked only once the channel's messages reach this process, so a later revocation is not missed.
  private async askHost(connection: Connection, channel: ChannelName): Promise<Subscription> {
    await this.users.hostUser(connection);
    try {
      await this.hub.prepare(connection, channel.name);
      const channelData = await this.authorizer!.channelData(connection, channel.name); // It is on: see isHostAsked.
      const member = channelData === undefined ? undefined : memberFrom(channelData, this.settings.limits);
      connection.revoked?.delete(channel.name);
      return member === undefined ? { channel } : { channel, member };
    } catch (error) {
      return await afterUndo(error, () => this.hub.leave(connection, channel.name));
    }
  }
}

function checkToken(connection: Connection, channel: ChannelName, { auth = '', channelData }: SubscribeRequest): void {
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
function memberFor({ user }: Connection, { channelData }: SubscribeRequest, limits: ChannelsLimits): Member {
  if (channelData !== undefined) return memberFrom(channelData, limits);
  if (!user) throw ProtocolError.invalidMember('A presence channel needs channel_data or a signed-in user');
  return user.userInfoJson === undefined ? { userId: user.id } : { userId: user.id, userInfoJson: user.userInfoJson };
}
