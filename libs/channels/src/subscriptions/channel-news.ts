import { Injectable } from '@nestjs/common';
import type { Member } from 'rookery/presence';
import type { App } from '../access/app.js';
import { Broker } from '../broker/broker.js';
import * as frames from '../protocol/frames.js';
import type { OccupancyChange } from '../storage/channel.repository.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';

/** Tells the others what changed on a channel: its subscribers and the app's webhooks. Nobody else tells them. */
@Injectable()
export class ChannelNews {
  constructor(
    private readonly broker: Broker,
    private readonly webhooks: WebhooksService,
  ) {}

  occupancy(app: App, channel: string, { to }: OccupancyChange): void {
    this.webhooks.emit(app, { name: to === 'occupied' ? 'channel_occupied' : 'channel_vacated', channel });
  }

  /** @param except the socket id of the connection that joined: it has the roster */
  async memberAdded(
    app: App,
    channel: string,
    { userId, userInfoJson }: Member,
    version: number,
    except?: string,
  ): Promise<void> {
    await this.broker.publish({
      kind: 'event',
      appId: app.id,
      channel,
      text: frames.memberAdded(channel, userId, userInfoJson),
      ...(except === undefined ? {} : { except }),
      change: { userId, isPresent: true, version },
    });
    this.webhooks.emit(app, { name: 'member_added', channel, user_id: userId });
  }

  async memberRemoved(app: App, channel: string, userId: string, version: number): Promise<void> {
    this.webhooks.emit(app, { name: 'member_removed', channel, user_id: userId });
    await this.broker.publish({
      kind: 'event',
      appId: app.id,
      channel,
      text: frames.memberRemoved(channel, userId),
      change: { userId, isPresent: false, version },
    });
  }
}
