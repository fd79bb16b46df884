import { Injectable } from '@nestjs/common';
import { ThisNode } from 'rookery/common';
import { type Presence, type PresenceChange, PresenceService } from 'rookery/presence';
import { Apps } from '../access/apps.js';
import { Hub } from '../hub/hub.js';
import { type NameLimits, parseChannelName } from '../protocol/channel-name.js';
import { type ChannelOccupancy, ChannelRepository, type NodeHoldings } from '../storage/channel.repository.js';
import { ChannelNews } from '../subscriptions/channel-news.js';
import { LocalOccupancy } from '../subscriptions/local-occupancy.js';
import { SubscriptionCounts } from '../subscriptions/subscription-counts.js';
import { onlineRoom, UsersService } from '../users/users.service.js';

/**
 * What processes that share their state do about each other's deaths. Whoever finds out that a process is dead calls
 * {@link takeOut}, one process alone; a process that others may have taken for dead calls {@link announce}.
 */
@Injectable()
export class NodesService {
  constructor(
    private readonly node: ThisNode,
    private readonly apps: Apps,
    private readonly hub: Hub,
    private readonly presence: PresenceService,
    private readonly channels: ChannelRepository,
    private readonly occupancy: LocalOccupancy,
    private readonly news: ChannelNews,
    private readonly users: UsersService,
    private readonly counts: SubscriptionCounts,
  ) {}

  /** Takes out all that a dead process held, and tells the others: members removed, users offline, channels vacated. */
  async takeOut(nodeId: string): Promise<void> {
    await this.tell(await this.presence.takeOut(nodeId), await this.channels.takeOut(nodeId));
  }

  /** Says again all that this process holds, and tells the others of what they took for gone. */
  async announce(): Promise<void> {
    const { presences, admitted } = this.holdings();
    const changes = await this.presence.announce(presences);
    await this.tell(
      changes,
      await this.channels.announce(this.node.id, { channels: this.occupancy.holdings(), admitted }),
    );
  }

  private holdings(): { presences: Presence[]; admitted: NodeHoldings['admitted'] } {
    const presences: Presence[] = [];
    const admitted: { appId: string; connectionId: string }[] = [];
    for (const { app, socketId, isAdmitted, user, subscriptions } of this.hub.connections) {
      if (isAdmitted) admitted.push({ appId: app.id, connectionId: socketId });
      const held = { scope: app.id, connectionId: socketId };
      if (user) presences.push(presence(held, onlineRoom, { userId: user.id }));
      for (const { channel, member } of subscriptions?.values() ?? [])
        if (member) presences.push(presence(held, channel.name, member));
    }
    return { presences, admitted };
  }

  private async tell(changes: readonly PresenceChange[], occupancies: readonly ChannelOccupancy[]): Promise<void> {
    for (const change of changes) await this.tellOfMember(change);
    for (const occupancy of occupancies) await this.tellOfChannel(occupancy);
  }

  private async tellOfMember({ room, member, isPresent, version }: PresenceChange): Promise<void> {
    const app = await this.apps.findById(room.scope);
    if (!app) return;
    if (room.name === onlineRoom) await this.users.tell(app, member.userId, isPresent, version);
    else if (isPresent) await this.news.memberAdded(app, room.name, member, version);
    else await this.news.memberRemoved(app, room.name, member.userId, version);
  }

  private async tellOfChannel({ appId, channel, count, change }: ChannelOccupancy): Promise<void> {
    const app = await this.apps.findById(appId);
    const name = parseChannelName(channel, unlimited);
    if (!app || !name) return;
    if (change) this.news.occupancy(app, channel, change);
    this.counts.changed(app, name, count);
  }
}

/** What the repository holds was checked when it came. */
const unlimited: NameLimits = { channelNameLength: Infinity, userIdLength: Infinity };

const presence = (
  { scope, connectionId }: { readonly scope: string; readonly connectionId: string },
  name: string,
  member: Presence['member'],
): Presence => ({ room: { scope, name }, connectionId, member });
