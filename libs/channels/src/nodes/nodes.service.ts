import { Injectable } from '@nestjs/common';
import { ThisNode } from 'rookery/common';
import { type Presence, type PresenceChange, PresenceService } from 'rookery/presence';
import { Apps } from '../access/apps.js';
import { Hub } from '../hub/hub.js';
import { type NameLimits, parseChannelName } from '../protocol/channel-name.js';
import { isRequests, isSessions, requestsOf, sessionsOf } from '../protocol/reserved-channels.js';
import { type ChannelOccupancy, ChannelRepository, type NodeHoldings } from '../storage/channel.repository.js';
import { ChannelNotifier } from '../subscriptions/channel-notifier.js';
import { LocalOccupancy } from '../subscriptions/local-occupancy.js';
import { MissedChanges } from '../subscriptions/missed-changes.js';
import { SubscriptionCounts } from '../subscriptions/subscription-counts.js';
import { UsersService } from '../users/users.service.js';

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
    private readonly notifier: ChannelNotifier,
    private readonly users: UsersService,
    private readonly counts: SubscriptionCounts,
    private readonly missed: MissedChanges,
  ) {}

  /** A digest of the configured apps and their secrets, which processes should have in common; otherwise empty. */
  get configuredApps(): string {
    return this.apps.configured?.digest ?? '';
  }

  /** Takes out all that a dead process held, and tells the others: members removed, users offline, channels vacated. */
  async takeOut(nodeId: string): Promise<void> {
    await this.tell(await this.presence.takeOut(nodeId), await this.channels.takeOut(nodeId, this.node.id));
  }

  /**
   * Announces everything that this process holds, and notifies the others of what they had taken for gone.
   * @param untoldUntil by performance.now(): after the shared memory was lost, the others read nothing of it until this
   *   time. What is announced before it was never taken for gone, so it causes no notifications.
   */
  async announce({ untoldUntil = 0 } = {}): Promise<void> {
    const { presences, admitted } = this.holdings();
    const members = await this.presence.announce(presences);
    const held = { channels: this.occupancy.holdings(), admitted };
    const channels = await this.channels.announce(this.node.id, held);
    if (performance.now() >= untoldUntil) await this.tell(members, channels);
  }

  /** Tells connections of this process what they missed where messages were lost on their way to it. */
  async tellMissed(): Promise<void> {
    await this.missed.tell();
  }

  private holdings(): { presences: Presence[]; admitted: NodeHoldings['admitted'] } {
    const presences: Presence[] = [];
    const admitted: { appId: string; connectionId: string }[] = [];
    for (const { app, socketId, isAdmitted, user, joining, subscriptions, httpName } of this.hub.connections) {
      if (isAdmitted) admitted.push({ appId: app.id, connectionId: socketId });
      const held = { scope: app.id, connectionId: socketId };
      if (httpName !== undefined)
        presences.push(
          presence({ ...held, connectionId: this.node.id }, requestsOf(httpName), { userId: this.node.id }),
        );
      if (user) presences.push(presence(held, sessionsOf(user.id), { userId: user.id }));
      for (const [channel, member] of joining ?? []) presences.push(presence(held, channel, member));
      for (const { channel, member } of subscriptions?.values() ?? [])
        if (member) presences.push(presence(held, channel.name, member));
    }
    return { presences, admitted };
  }

  private async tell(changes: readonly PresenceChange[], occupancies: readonly ChannelOccupancy[]): Promise<void> {
    // In their order, and none waits for an answer to the one before.
    await Promise.all([
      ...changes.map((change) => this.tellOfMember(change)),
      ...occupancies.map((occupancy) => this.tellOfChannel(occupancy)),
    ]);
  }

  private async tellOfMember({ room, member, ...change }: PresenceChange): Promise<void> {
    // A process that has a connection is not reported.
    if (isRequests(room.name)) return;
    const app = await this.apps.findById(room.scope);
    if (!app) return;
    if (isSessions(room.name)) await this.users.tell(app, member.userId, change);
    else if (change.isPresent) await this.notifier.memberAdded(app, room.name, member, change);
    else await this.notifier.memberRemoved(app, room.name, member.userId, change.version);
  }

  private async tellOfChannel({ appId, channel, count, change }: ChannelOccupancy): Promise<void> {
    const app = await this.apps.findById(appId);
    const name = parseChannelName(channel, unlimited);
    if (!app || !name) return;
    if (change) this.notifier.occupancy(app, channel, change);
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
