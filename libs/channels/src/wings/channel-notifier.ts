import { Injectable } from '@nestjs/common';
import { ThisNode } from '#common';
import { type Member, type PresenceChange, PresenceService } from 'rookery/presence';
import type { App } from '../app/app.js';
import { Broker } from '../broker/broker.js';
import * as frames from '../protocol/frames.js';
import { ActivityTap } from '../lifecycle/activity-tap.js';
import { ChannelRepository, type OccupancyChange } from '../storage/channel.repository.js';
import { TransitionOrder } from '../storage/transition-order.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';

/** Announces changes of a channel to its subscribers and the app's webhooks. No other class does. */
@Injectable()
export class ChannelNotifier {
  constructor(
    private readonly broker: Broker,
    private readonly webhooks: WebhooksService,
    private readonly channels: ChannelRepository,
    private readonly presence: PresenceService,
    private readonly node: ThisNode,
    private readonly tap: ActivityTap,
    private readonly order: TransitionOrder,
  ) {}

  occupancy(app: App, channel: string, { to, version, isReturn }: OccupancyChange): void {
    this.tap.observer?.observed({ appId: app.id, kind: to, channel });
    if (to === 'vacated')
      this.webhooks.hold(
        app,
        { name: 'channel_vacated', channel },
        {
          version,
          isHeld: () => this.channels.holdsVacancy(app.id, channel, version, this.node.id),
          confirm: () => this.channels.confirmVacated(app.id, channel, version),
          isBack: async () => (await this.channels.subscriptionCounts(app.id, [channel]))[0]! > 0,
        },
      );
    else if (!isReturn) this.webhooks.emit(app, { name: 'channel_occupied', channel }, version);
  }

  /** @param socketId the connection that joined: it gets the roster instead */
  async memberAdded(
    app: App,
    channel: string,
    { userId, userInfoJson }: Member,
    { version, previous, isReturn }: Pick<PresenceChange, 'version' | 'previous' | 'isReturn'>,
    socketId?: string,
  ): Promise<void> {
    this.tap.observer?.observed({ appId: app.id, kind: 'member_added', channel, userId });
    // First, so that the webhook is not lost when publishing fails.
    if (!isReturn)
      this.webhooks.emit(
        app,
        { name: 'member_added', channel, user_id: userId, ...of(socketId) },
        version,
        userInfoJson,
      );
    await this.broker.publish({
      kind: 'event',
      appId: app.id,
      channel,
      text: frames.memberAdded(channel, userId, userInfoJson),
      ...(socketId !== undefined && { except: socketId }),
      change: { userId, isPresent: true, version, previous },
    });
  }

  /** First what happened, then what makes client libraries put the new info into their rosters. */
  async memberUpdated({ id: appId }: App, channel: string, { userId, userInfoJson }: Member, version: number) {
    const event = { kind: 'event', appId, channel } as const;
    const change = { userId, isPresent: true, version };
    await Promise.all([
      this.broker.publish({ ...event, text: frames.memberUpdated(channel, userId, userInfoJson) }),
      this.broker.publish({ ...event, text: frames.memberAdded(channel, userId, userInfoJson), change }),
    ]);
  }

  /** @param socketId the connection that left, if it is known */
  async memberRemoved(
    app: App,
    channel: string,
    userId: string,
    { version, previous }: Pick<PresenceChange, 'version' | 'previous'>,
    socketId?: string,
  ): Promise<void> {
    this.tap.observer?.observed({ appId: app.id, kind: 'member_removed', channel, userId });
    const room = { scope: app.id, name: channel };
    this.webhooks.hold(
      app,
      { name: 'member_removed', channel, user_id: userId, ...of(socketId) },
      this.presence.absence(room, userId, version),
    );
    const removed = {
      kind: 'event',
      appId: app.id,
      channel,
      text: frames.memberRemoved(channel, userId),
      change: { userId, isPresent: false, version, previous },
    } as const;
    // Nothing else would tell those who stay: the member is gone already.
    const subject = `${app.id} ${channel} ${userId} is removed`;
    await this.order.insist(
      subject,
      () => this.broker.publish(removed),
      () => undefined,
    );
  }
}

const of = (socketId: string | undefined) => socketId !== undefined && { socket_id: socketId };
