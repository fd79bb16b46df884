import { Injectable } from '@nestjs/common';
import type { Connection, Subscription } from '../../connections/connection.js';
import { isShown } from '../../protocol/channel-name.js';
import type { JoinedPart, Joining, SubscriptionPart } from '../../subscriptions/subscription-part.js';
import { LocalOccupancy } from './local-occupancy.js';
import { SubscriptionCounts } from './subscription-counts.js';

/** Counts the connection on its channel, and announces the count. */
@Injectable()
export class OccupancyPart implements SubscriptionPart {
  constructor(
    private readonly occupancy: LocalOccupancy,
    private readonly counts: SubscriptionCounts,
  ) {}

  enter(joining: Joining): Promise<JoinedPart> | undefined {
    return isShown(joining.subscription.channel) ? this.count(joining) : undefined;
  }

  async exit({ app }: Connection, { channel }: Subscription): Promise<void> {
    if (isShown(channel)) this.counts.changed(app, channel, await this.occupancy.leave(app, channel.name));
  }

  private async count({ connection, subscription, undo }: Joining): Promise<JoinedPart> {
    const { app } = connection;
    const { channel } = subscription;
    const count = await this.occupancy.enter(app, channel.name);
    undo.push(() => this.exit(connection, subscription));
    return { released: () => this.counts.changed(app, channel, count) };
  }
}
