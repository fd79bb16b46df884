import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Awaitable } from '#common';
import { ChannelsSettings } from '../channels.options.js';
import type { Connection, Subscription } from '../connections/connection.js';
import { Slot } from '../connections/slot.js';
import { hostUserOf, SocketAuthorizer } from '../connections/socket-authorizer.js';
import { type ChannelName, parseChannelName } from '../protocol/channel-name.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { subscriptionText, verifyToken } from '../protocol/subscription-token.js';
import { memberFrom, memberOf } from '../connections/user-data.js';

/** Channels to which connections lost access: tokens issued before no longer count. */
export const revokedChannels = new Slot<Set<string>>();

/** What a client asks for. */
export interface SubscribeRequest {
  readonly channel: string;
  readonly auth?: string;
  readonly channelData?: string;
}

/** A subscription that the connection may have. */
export interface Authorized {
  readonly subscription: Subscription;
  /** The host still has to be asked, with {@link SubscriptionAuthorization.askHost}; until then there is no member. */
  readonly isUpToHost?: true;
}

/** The first step of a subscription: whether the connection may join the channel, and as which member. */
@Injectable()
export class SubscriptionAuthorization {
  constructor(
    @Optional() @Inject(SocketAuthorizer) private readonly authorizer: SocketAuthorizer | undefined,
    private readonly settings: ChannelsSettings,
  ) {}

  /**
   * Touches no shared state, so that an unauthorized request is cheap.
   * @throws ProtocolError when the request does not authorize the connection for the channel (channels-wire §3.1-§3.4)
   */
  subscriptionFor(connection: Connection, request: SubscribeRequest): Awaitable<Authorized> {
    const { limits } = this.settings;
    const channel = parseChannelName(request.channel, limits);
    if (!channel) throw ProtocolError.invalidChannel();
    const { name, access } = channel;
    const { app, socketId, subscriptions, user } = connection;
    if (subscriptions?.has(name)) throw ProtocolError.alreadySubscribed(name);
    if ((subscriptions?.size ?? 0) >= limits.subscriptions)
      throw ProtocolError.tooManySubscriptions(limits.subscriptions);
    if (this.isHostAsked(channel, request)) return this.upToHost(connection, channel);
    const { auth = '', channelData } = request;
    switch (access) {
      case 'public':
        break;
      case 'user':
        if (user?.id !== channel.userId) throw ProtocolError.unauthorized(`Not signed in as the user of ${name}`);
        break;
      case 'private':
      case 'presence':
        if (revokedChannels.of(connection)?.has(name)) throw ProtocolError.revoked(name);
        verifyToken(app, subscriptionText(socketId, name, channelData), auth);
        if (access === 'presence') return { subscription: { channel, member: memberOf(user, channelData, limits) } };
        break;
      default:
        return access satisfies never;
    }
    return { subscription: { channel } };
  }

  /**
   * Asks the host. Only to be called once the channel's messages reach this process, so that a later revocation is not
   * missed.
   * @throws what the host's method throws when it refuses
   */
  async askHost(connection: Connection, channel: ChannelName): Promise<Subscription> {
    const channelData = await this.authorizer!.channelData(connection, channel.name); // It is on: see isHostAsked.
    const member = channelData === undefined ? undefined : memberFrom(channelData, this.settings.limits);
    revokedChannels.of(connection)?.delete(channel.name);
    return member === undefined ? { channel } : { channel, member };
  }

  private isHostAsked({ access }: ChannelName, { auth = '' }: SubscribeRequest): boolean {
    return auth === '' && this.authorizer?.isOn === true && (access === 'private' || access === 'presence');
  }

  /** @throws what the host's method throws when the connection has no user */
  private async upToHost(connection: Connection, channel: ChannelName): Promise<Authorized> {
    await hostUserOf(connection, this.authorizer!); // It is on: see isHostAsked.
    return { subscription: { channel }, isUpToHost: true };
  }
}
