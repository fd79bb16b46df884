import { Injectable } from '@nestjs/common';
import { hashOf } from '#common';
import { PresenceService, type Roster, type RosterMember } from 'rookery/presence';
import { Apps } from '../../access/apps.js';
import type { MemberChange, Topic } from '../../broker/broker.js';
import type { KnownMembers } from '../../frames/known-members.js';
import { Hub } from '../../hub/hub.js';
import { accessOf } from '../../protocol/channel-name.js';
import { memberAdded, memberRemoved, subscriptionCount, watchlistEvents } from '../../protocol/frames.js';
import { sessionsOf, watchedOn } from '../../protocol/reserved-channels.js';
import { LocalOccupancy } from '../occupancy/local-occupancy.js';
import { holdMember } from '../presence/hold-member.js';
import { LostTopics } from './lost-topics.js';

/** Tells this process's connections which changes of members, users and counts they missed when messages were lost. */
@Injectable()
export class MissedChanges {
  constructor(
    private readonly hub: Hub,
    private readonly lost: LostTopics,
    private readonly presence: PresenceService,
    private readonly apps: Apps,
    private readonly occupancy: LocalOccupancy,
  ) {}

  /** Reads the current state wherever messages were lost since the last call, and announces the difference. */
  async announce(): Promise<void> {
    await Promise.all(this.lost.take().map((topic) => this.announceOrKeep(topic)));
  }

  private async announceOrKeep(topic: Topic): Promise<void> {
    try {
      const watched = watchedOn(topic.channel);
      if (watched !== undefined) await this.announceUser(topic, watched);
      else if (accessOf(topic.channel) === 'presence') await this.announceMembers(topic);
      else await this.announceCount(topic);
    } catch (error) {
      this.hub.lost([topic]);
      throw error;
    }
  }

  private async announceMembers({ appId, channel }: Topic): Promise<void> {
    const roster = await this.presence.roster({ scope: appId, name: channel });
    const members = new Map(roster.members.map((member) => [member.userId, member]));
    this.holdShown({ appId, channel }, members, roster.version);
    const known = this.hub.changesOf({ appId, channel })?.members;
    if (!known) return;
    for (const change of [...known.missingChanges(roster), ...missingUpdates(roster, known, channel)]) {
      const { userId } = change;
      const text = change.isPresent
        ? memberAdded(channel, userId, members.get(userId)?.userInfoJson)
        : memberRemoved(channel, userId);
      this.hub.deliverHere({ kind: 'event', appId, channel, text, change });
    }
  }

  /** An update that shared state has lost is to be restored no more than it is shown. */
  private holdShown(topic: Topic, members: ReadonlyMap<string, RosterMember>, version: number): void {
    for (const connection of this.hub.on(topic)) {
      const shown = members.get(connection.subscriptions?.get(topic.channel)?.member?.userId ?? '');
      if (!shown) continue;
      const { since: _since, ...member } = shown;
      holdMember(connection, topic.channel, member, version);
    }
  }

  /** Large channels included: this happens rarely. */
  private async announceCount({ appId, channel }: Topic): Promise<void> {
    const app = await this.apps.findById(appId);
    if (!app?.subscriptionCount) return;
    const { count = 0, version = 0 } = (await this.occupancy.reportAgain(appId, channel)) ?? {};
    if (count === 0) return;
    const change = { userId: '', isPresent: true, version };
    this.hub.deliverHere({ kind: 'event', appId, channel, text: subscriptionCount(channel, count), change });
  }

  /** Sent even if they may know it already: receiving a change twice does no harm. */
  private async announceUser({ appId, channel }: Topic, userId: string): Promise<void> {
    const { members, version } = await this.presence.roster({ scope: appId, name: sessionsOf(userId) });
    const isPresent = members.length > 0;
    const text = watchlistEvents([{ name: isPresent ? 'online' : 'offline', user_ids: [userId] }]);
    this.hub.deliverHere({ kind: 'event', appId, channel, text, change: { userId, isPresent, version } });
  }
}

/** Of members whose presence is known, but with another info than the roster shows. */
function missingUpdates({ members, version }: Roster, known: KnownMembers, channel: string): readonly MemberChange[] {
  return members
    .filter(({ userId, userInfoJson }) => {
      const latest = known.latestOf(userId);
      if (!latest?.isPresent || latest.version >= version) return false;
      return latest.words !== hashOf(memberAdded(channel, userId, userInfoJson));
    })
    .map(({ userId }) => ({ userId, isPresent: true, version }));
}
