import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Awaitable } from '#common';
import { afterUndo } from '../all-of.js';
import { ChannelsSettings } from '../channels.options.js';
import type { Connection, Subscription } from '../connections/connection.js';
import { SocketAuthorizer } from '../connections/socket-authorizer.js';
import { Hub } from '../hub/hub.js';
import { type ChannelName, parseChannelName } from '../protocol/channel-name.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { subscriptionText, verifyToken } from '../protocol/subscription-token.js';
import { UsersService } from '../users/users.service.js';
import { memberFrom, memberOf } from '../users/user-data.js';

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
    const { limits } = this.settings;
    const channel = parseChannelName(request.channel, limits);
    if (!channel) throw ProtocolError.invalidChannel();
    const { name, access } = channel;
    const { app, socketId, subscriptions, revoked, user } = connection;
    if (subscriptions?.has(name)) throw ProtocolError.alreadySubscribed(name);
    if ((subscriptions?.size ?? 0) >= limits.subscriptions)
      throw ProtocolError.tooManySubscriptions(limits.subscriptions);
    if (this.isHostAsked(channel, request)) return this.askHost(connection, channel);
    const { auth = '', channelData } = request;
    switch (access) {
      case 'public':
        return { channel };
      case 'user':
        if (user?.id !== channel.userId) throw ProtocolError.unauthorized(`Not signed in as the user of ${name}`);
        return { channel };
      case 'private':
      case 'presence':
        if (revoked?.has(name)) throw ProtocolError.revoked(name);
        verifyToken(app, subscriptionText(socketId, name, channelData), auth);
        return access === 'private' ? { channel } : { channel, member: memberOf(user, channelData, limits) };
      default:
        return access satisfies never;
    }
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
      return await afterUndo(error, [() => this.hub.leave(connection, channel.name)]);
    }
  }
}
