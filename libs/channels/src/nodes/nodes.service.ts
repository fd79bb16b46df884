import { Injectable } from '@nestjs/common';
import { ThisNode } from '#common';
import { type Presence, type PresenceChange, PresenceService } from 'rookery/presence';
import { Apps } from '../access/apps.js';
import { Hub } from '../hub/hub.js';
import { joiningMembers } from '../subscriptions/channel-entry.js';
import { type NameLimits, parseChannelName } from '../protocol/channel-name.js';
import { isRequests, isSessions, requestsOf, sessionsOf } from '../protocol/reserved-channels.js';
import { type ChannelOccupancy, ChannelRepository, type NodeHoldings } from '../storage/channel.repository.js';
import { ChannelNotifier } from '../wings/channel-notifier.js';
import { LocalOccupancy } from '../wings/occupancy/local-occupancy.js';
import { LostTopics } from '../wings/missed/lost-topics.js';
import { MissedChanges } from '../wings/missed/missed-changes.js';
import { SubscriptionCounts } from '../wings/occupancy/subscription-counts.js';
import { UsersService } from '../users/users.service.js';
import { inGroups } from './in-groups.js';

/**
 * Cleans up after processes that share state. When a process is found dead, exactly one other process calls
 * {@link takeOut}; a process that others may have taken for dead calls {@link announce}.
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
    private readonly lost: LostTopics,
  ) {
    presence.holds(() => this.presences());
  }

  /** A digest of the configured apps and their secrets, which processes should have in common; otherwise empty. */
  get configuredApps(): string {
    return this.apps.configured?.digest ?? '';
  }

  /** Removes all entries of a dead process, and announces it: members removed, users offline, channels vacated. */
  async takeOut(nodeId: string): Promise<void> {
    await this.announceMembers(await this.presence.takeOut(nodeId));
    await this.announceChannels(await this.channels.takeOut(nodeId, this.node.id));
  }

  /**
   * Announces everything that this process holds, and announces again what the others had removed.
   * @param silentUntil by performance.now(): after shared state was lost, other processes remove nothing until this
   *   time. Entries that are announced before it were never removed, so they cause no notifications.
   */
  async announce({ silentUntil = 0 } = {}): Promise<void> {
    // Each answer is announced before the next call, which may fail.
    const members = await this.presence.announce();
    if (performance.now() >= silentUntil) await this.announceMembers(members);
    const held = { channels: this.occupancy.holdings(), admitted: this.admitted() };
    const channels = await this.channels.announce(this.node.id, held);
    if (performance.now() >= silentUntil) await this.announceChannels(channels);
  }

  /**
   * What this process has sent of members and counts may have lacked what others hold: the next {@link announceMissed}
   * compares all of it.
   */
  recheckAll(): void {
    this.lost.addAll();
  }

  /** Sends connections of this process the changes whose messages were lost. */
  async announceMissed(): Promise<void> {
    await this.missed.announce();
  }

  private presences(): Presence[] {
    const presences: Presence[] = [];
    for (const connection of this.hub.connections) {
      const { app, socketId, user, subscriptions, httpName } = connection;
      const held = { scope: app.id, connectionId: socketId };
      if (httpName !== undefined)
        presences.push(
          presence({ ...held, connectionId: this.node.id }, requestsOf(httpName), { userId: this.node.id }),
        );
      if (user) presences.push(presence(held, sessionsOf(user.id), { userId: user.id }));
      for (const [channel, member] of joiningMembers.of(connection) ?? [])
        presences.push(presence(held, channel, member));
      for (const { channel, member } of subscriptions?.values() ?? [])
        if (member) presences.push(presence(held, channel.name, member));
    }
    return presences;
  }

  private admitted(): NodeHoldings['admitted'] {
    return [...this.hub.connections]
      .filter(({ isAdmitted }) => isAdmitted)
      .map(({ app, socketId }) => ({ appId: app.id, connectionId: socketId }));
  }

  private async announceMembers(changes: readonly PresenceChange[]): Promise<void> {
    await inGroups(changes, (change) => this.announceMember(change));
  }

  private async announceChannels(occupancies: readonly ChannelOccupancy[]): Promise<void> {
    await inGroups(occupancies, (occupancy) => this.announceChannel(occupancy));
  }

  private async announceMember({ room, member, ...change }: PresenceChange): Promise<void> {
    // Presence of a process for its own connections is not announced.
    if (isRequests(room.name)) return;
    const app = await this.apps.findById(room.scope);
    if (!app) return;
    if (isSessions(room.name)) await this.users.announce(app, member.userId, change);
    else if (change.isPresent) await this.notifier.memberAdded(app, room.name, member, change);
    else await this.notifier.memberRemoved(app, room.name, member.userId, change);
  }

  private async announceChannel({ appId, channel, change, ...latest }: ChannelOccupancy): Promise<void> {
    const app = await this.apps.findById(appId);
    const name = parseChannelName(channel, unlimited);
    if (!app || !name) return;
    if (change) this.notifier.occupancy(app, channel, change);
    this.counts.changed(app, name, latest);
  }
}

/** Names in the repository were checked when they were stored. */
const unlimited: NameLimits = { channelNameLength: Infinity, userIdLength: Infinity };

const presence = (
  { scope, connectionId }: { readonly scope: string; readonly connectionId: string },
  name: string,
  member: Presence['member'],
): Presence => ({ room: { scope, name }, connectionId, member });
