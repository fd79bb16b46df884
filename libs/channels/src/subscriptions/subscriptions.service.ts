import { Injectable } from '@nestjs/common';
import { type Member, PresenceService } from 'rookery/presence';
import type { App } from '../access/app.js';
import { afterUndo, allOf } from '../all-of.js';
import { Broker } from '../broker/broker.js';
import { ChannelsSettings } from '../channels.options.js';
import { Hub } from '../hub/hub.js';
import { memberFrom, rosterText } from './members.js';
import { type ChannelName, parseChannelName } from '../protocol/channel-name.js';
import * as frames from '../protocol/frames.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { subscriptionText, verifyToken } from '../protocol/subscription-token.js';
import type { Connection, Subscription } from '../connections/connection.js';
import { textFrame } from '../connections/websocket/frame-encoder.js';
import { type CachedEvent, ChannelRepository } from '../storage/channel.repository.js';
import { SubscriptionCounts } from './subscription-counts.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';

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
    const member = channel.access === 'presence' ? this.memberOf(connection, request) : undefined;
    await this.enter(connection, channel, member);
  }

  /** @throws ProtocolError when the connection is not on the channel */
  async unsubscribe(connection: Connection, name: string): Promise<void> {
    const subscription = connection.subscriptions?.get(name);
    if (!subscription) throw ProtocolError.notSubscribed(name.slice(0, 200));
    await this.leave(connection, subscription);
  }

  /** Takes a connection that is over off everything. */
  async leaveAll(connection: Connection): Promise<void> {
    const subscriptions = [...(connection.subscriptions?.values() ?? [])];
    await allOf(...subscriptions.map((subscription) => () => this.leave(connection, subscription)));
  }

  // All that can fail comes before the confirmation: a client is confirmed or refused, never both, and a port that
  // fails in the middle leaves nothing behind that nobody will ever take out.
  private async enter(connection: Connection, channel: ChannelName, member: Member | undefined): Promise<void> {
    const subscription = member === undefined ? { channel } : { channel, userId: member.userId };
    let count: number | undefined;
    try {
      await this.hub.hold(connection, channel.name);
      const isFirst = member !== undefined && (await this.joinRoom(connection, channel, member));
      count = await this.occupy(connection, channel);
      if (member && isFirst) await this.announce(connection, channel, member);
      const confirmation = await this.confirmationOf(connection.app, channel);
      const cached = channel.isCache ? await this.repository.recall(connection.app.id, channel.name) : undefined;
      this.admit(connection, subscription);
      connection.send(confirmation);
      if (channel.isCache) this.sendCached(connection, channel, cached);
    } catch (error) {
      return afterUndo(error, () => this.takeOut(connection, subscription, count !== undefined));
    }
    this.hub.release(connection, channel.name);
    this.counts.changed(connection.app, channel, count);
  }

  /** @returns whether the member was not there before */
  private async joinRoom({ app, socketId }: Connection, { name }: ChannelName, member: Member): Promise<boolean> {
    const limit = this.settings.limits.presenceMembers;
    const joined = await this.presence.join({ scope: app.id, name }, socketId, member, limit);
    if (joined.outcome === 'full') throw ProtocolError.channelFull(name, limit);
    return joined.isFirst;
  }

  private async announce({ app, socketId }: Connection, { name }: ChannelName, member: Member): Promise<void> {
    const frame = textFrame(frames.memberAdded(name, member.userId, member.userInfoJson));
    await this.broker.publish({ kind: 'frame', appId: app.id, channel: name, frame, except: socketId });
    this.webhooks.emit(app, { name: 'member_added', channel: name, user_id: member.userId });
  }

  private async occupy({ app }: Connection, { name }: ChannelName): Promise<number> {
    const count = await this.repository.subscribe(app.id, name);
    if (count === 1) this.webhooks.emit(app, { name: 'channel_occupied', channel: name });
    return count;
  }

  private async confirmationOf(app: App, { name, access }: ChannelName): Promise<string> {
    if (access !== 'presence') return frames.subscriptionSucceeded(name);
    return frames.presenceSucceeded(name, rosterText(await this.presence.members({ scope: app.id, name })));
  }

  private admit(connection: Connection, subscription: Subscription): void {
    const { name, access } = subscription.channel;
    connection.subscriptions ??= new Map();
    connection.subscriptions.set(name, subscription);
    if (access === 'private' || access === 'presence') connection.isAuthorized = true;
  }

  private sendCached(connection: Connection, { name }: ChannelName, cached: CachedEvent | undefined): void {
    if (!cached) {
      connection.send(frames.cacheMiss(name));
      return this.webhooks.emit(connection.app, { name: 'cache_miss', channel: name });
    }
    const frame = textFrame(frames.channelEvent(cached.event, name, cached.data));
    // An event that was published since the connection is held is kept for it already.
    if (!this.hub.holds(connection, name, frame)) connection.enqueue(frame);
  }

  private async leave(connection: Connection, subscription: Subscription): Promise<void> {
    connection.subscriptions?.delete(subscription.channel.name);
    await this.takeOut(connection, subscription, true);
  }

  private takeOut(connection: Connection, subscription: Subscription, isCounted: boolean): Promise<void> {
    return allOf(
      () => this.hub.leave(connection, subscription.channel.name),
      () => (subscription.userId === undefined ? undefined : this.leaveRoom(connection, subscription.channel)),
      () => (isCounted ? this.vacate(connection, subscription.channel) : undefined),
    );
  }

  private async leaveRoom({ app, socketId }: Connection, { name }: ChannelName): Promise<void> {
    const left = await this.presence.leave({ scope: app.id, name }, socketId);
    if (!left?.wasLast) return;
    this.webhooks.emit(app, { name: 'member_removed', channel: name, user_id: left.userId });
    const frame = textFrame(frames.memberRemoved(name, left.userId));
    await this.broker.publish({ kind: 'frame', appId: app.id, channel: name, frame });
  }

  private async vacate({ app }: Connection, channel: ChannelName): Promise<void> {
    const count = await this.repository.unsubscribe(app.id, channel.name);
    if (count === 0) this.webhooks.emit(app, { name: 'channel_vacated', channel: channel.name });
    this.counts.changed(app, channel, count);
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
