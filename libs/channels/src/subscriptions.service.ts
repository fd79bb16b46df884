import { Injectable } from '@nestjs/common';
import { type Member, PresenceService, type Room } from 'rookery/presence';
import { Broker } from './broker/broker.js';
import { ChannelsSettings } from './channels.options.js';
import { Hub } from './hub.js';
import { memberFrom, rosterText } from './members.js';
import { type ChannelName, parseChannelName } from './protocol/channel-name.js';
import * as frames from './protocol/frames.js';
import { ProtocolError } from './protocol/protocol-error.js';
import { subscriptionText, verifyToken } from './protocol/subscription-token.js';
import type { Connection } from './sockets/connection.js';
import { textFrame } from './sockets/websocket/frame-encoder.js';
import { ChannelRepository } from './storage/channel.repository.js';
import { SubscriptionCounts } from './subscription-counts.js';
import { WebhooksService } from './webhooks/webhooks.service.js';

export interface SubscribeRequest {
  readonly channel: string;
  readonly auth?: string;
  readonly channelData?: string;
}

/** Takes connections on and off channels, and tells those who have to know. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly hub: Hub,
    private readonly broker: Broker,
    private readonly repository: ChannelRepository,
    private readonly presence: PresenceService,
    private readonly counts: SubscriptionCounts,
    private readonly webhooks: WebhooksService,
    private readonly settings: ChannelsSettings,
  ) {}

  /**
   * Subscribes a connection (channels-wire §3.1-§3.4). Cheap refusals come first: a frame without a right to the channel
   * touches no shared state.
   * @throws ProtocolError when it is refused; the connection stays as it was
   */
  async subscribe(connection: Connection, request: SubscribeRequest): Promise<void> {
    const channel = parseChannelName(request.channel, this.settings.limits.channelNameLength);
    if (!channel) throw ProtocolError.invalidChannel();
    if (connection.subscriptions?.has(channel.name)) throw ProtocolError.alreadySubscribed(channel.name);
    authorize(connection, channel, request);
    if (channel.access === 'presence')
      await this.enterPresence(connection, channel, this.memberOf(connection, request));
    else await this.enter(connection, channel);
  }

  /** @throws ProtocolError when the connection is not on the channel */
  async unsubscribe(connection: Connection, name: string): Promise<void> {
    if (!connection.subscriptions?.has(name)) throw ProtocolError.notSubscribed(name.slice(0, 200));
    await this.leave(connection, name);
  }

  /** Takes a connection that is over off everything. */
  async leaveAll(connection: Connection): Promise<void> {
    for (const name of connection.subscriptions?.keys() ?? []) await this.leave(connection, name);
  }

  private async enter(connection: Connection, channel: ChannelName): Promise<void> {
    const count = await this.occupy(connection, channel);
    this.admit(connection, channel);
    connection.send(frames.subscriptionSucceeded(channel.name));
    if (channel.isCache) await this.sendCached(connection, channel);
    this.counts.changed(connection.app, channel, count);
  }

  private async enterPresence(connection: Connection, channel: ChannelName, member: Member): Promise<void> {
    const { app, socketId } = connection;
    const room = { scope: app.id, name: channel.name };
    const limit = this.settings.limits.presenceMembers;
    const joined = await this.presence.join(room, socketId, member, limit);
    if (joined.outcome === 'full') throw ProtocolError.channelFull(channel.name, limit);
    const members = await this.occupyAs(connection, channel, room);
    this.admit(connection, channel, member.userId);
    connection.send(frames.presenceSucceeded(channel.name, rosterText(members)));
    if (joined.isFirst) await this.announce(connection, channel, member);
    if (channel.isCache) await this.sendCached(connection, channel);
  }

  private async announce({ app, socketId }: Connection, { name }: ChannelName, member: Member): Promise<void> {
    const frame = textFrame(frames.memberAdded(name, member.userId, member.userInfoJson));
    await this.broker.publish({ kind: 'frame', appId: app.id, channel: name, frame, except: socketId });
    this.webhooks.emit(app, { name: 'member_added', channel: name, user_id: member.userId });
  }

  // A port that fails in the middle must not leave a member behind whom nobody will ever take out.
  private async occupyAs(connection: Connection, channel: ChannelName, room: Room): Promise<readonly Member[]> {
    try {
      const members = await this.presence.members(room);
      await this.occupy(connection, channel);
      return members;
    } catch (error) {
      await this.presence.leave(room, connection.socketId);
      throw error;
    }
  }

  private async occupy(connection: Connection, { name }: ChannelName): Promise<number> {
    const { app } = connection;
    let count: number;
    try {
      await this.hub.listen(app.id, name);
      count = await this.repository.subscribe(app.id, name);
    } catch (error) {
      await this.hub.leave(connection, name);
      throw error;
    }
    if (count === 1) this.webhooks.emit(app, { name: 'channel_occupied', channel: name });
    return count;
  }

  private admit(connection: Connection, channel: ChannelName, userId?: string): void {
    this.hub.join(connection, channel.name);
    connection.subscriptions ??= new Map();
    connection.subscriptions.set(channel.name, userId === undefined ? { channel } : { channel, userId });
    if (channel.access === 'private' || channel.access === 'presence') connection.isAuthorized = true;
  }

  private async leave(connection: Connection, name: string): Promise<void> {
    const { app, socketId } = connection;
    const subscription = connection.subscriptions?.get(name);
    if (!subscription) return;
    connection.subscriptions?.delete(name);
    await this.hub.leave(connection, name);
    const count = await this.repository.unsubscribe(app.id, name);
    if (subscription.userId !== undefined) {
      const left = await this.presence.leave({ scope: app.id, name }, socketId);
      if (left?.wasLast) await this.dismiss(connection, name, left.userId);
    } else this.counts.changed(app, subscription.channel, count);
    if (count === 0) this.webhooks.emit(app, { name: 'channel_vacated', channel: name });
  }

  private async dismiss({ app }: Connection, name: string, userId: string): Promise<void> {
    const frame = textFrame(frames.memberRemoved(name, userId));
    await this.broker.publish({ kind: 'frame', appId: app.id, channel: name, frame });
    this.webhooks.emit(app, { name: 'member_removed', channel: name, user_id: userId });
  }

  private async sendCached(connection: Connection, { name }: ChannelName): Promise<void> {
    const cached = await this.repository.recall(connection.app.id, name);
    if (cached) return connection.send(frames.channelEvent(cached.event, name, cached.data));
    connection.send(frames.cacheMiss(name));
    this.webhooks.emit(connection.app, { name: 'cache_miss', channel: name });
  }

  // channel_data wins; without it, a signed-in user joins as themselves (§3.4).
  private memberOf({ user }: Connection, { channelData }: SubscribeRequest): Member {
    if (channelData !== undefined) return memberFrom(channelData, this.settings.limits);
    if (!user) throw ProtocolError.invalidMember('A presence channel needs channel_data or a signed-in user');
    return user.userInfoJson === undefined ? { userId: user.id } : { userId: user.id, userInfoJson: user.userInfoJson };
  }
}

function authorize(connection: Connection, channel: ChannelName, { auth = '', channelData }: SubscribeRequest): void {
  switch (channel.access) {
    case 'public':
      return;
    case 'user':
      if (connection.user?.id === channel.userId) return;
      throw ProtocolError.unauthorized(`Not signed in as the user of ${channel.name}`);
    case 'private':
    case 'presence':
      return verifyToken(connection.app, subscriptionText(connection.socketId, channel.name, channelData), auth);
    default:
      channel.access satisfies never;
  }
}
