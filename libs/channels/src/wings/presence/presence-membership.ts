import { Injectable } from '@nestjs/common';
import { pause, Unavailable } from '#common';
import { type Member, PresenceService, type Roster } from 'rookery/presence';
import type { App } from '../../app/app.js';
import { limitsOf } from '../../app/app-limits.js';
import { ChannelsSettings } from '../../channels.options.js';
import type { Connection } from '../../connections/connection.js';
import type { ChannelName } from '../../protocol/channel-name.js';
import { ProtocolError } from '../../protocol/protocol-error.js';
import { TransitionOrder } from '../../storage/transition-order.js';
import { ChannelNotifier } from '../channel-notifier.js';

/** About four seconds in all: clients wait. */
const [firstWaitMs, longestWaitMs] = [16, 2048];

/** Adds and removes the members of presence channels, and announces the changes in the order of the repository. */
@Injectable()
export class PresenceMembership {
  constructor(
    private readonly presence: PresenceService,
    private readonly order: TransitionOrder,
    private readonly notifier: ChannelNotifier,
    private readonly settings: ChannelsSettings,
  ) {}

  /** @returns the version of the roster that shows the member @throws ProtocolError when the channel is full */
  async join({ app, socketId }: Connection, { name }: ChannelName, member: Member): Promise<number> {
    const { presenceMembers: limit } = limitsOf(app, this.settings.limits);
    const leaving = this.order.repeatOf(holderOf(app, name, socketId));
    if (leaving) await leaving;
    const joined = await this.order.run(
      memberOf(app, name, member.userId),
      () => this.presence.join({ scope: app.id, name }, socketId, member, limit),
      (answer) =>
        answer.outcome === 'joined' && answer.isFirst
          ? { version: answer.version, announce: () => this.notifier.memberAdded(app, name, member, answer, socketId) }
          : undefined,
    );
    if (joined.outcome === 'full') throw ProtocolError.channelFull(name, limit);
    return joined.version;
  }

  async leave({ app, socketId }: Connection, { name }: ChannelName, { userId }: Member): Promise<void> {
    await this.order.insist(
      memberOf(app, name, userId),
      () => this.presence.leave({ scope: app.id, name }, socketId),
      (left) =>
        left?.wasLast
          ? { version: left.version, announce: () => this.notifier.memberRemoved(app, name, userId, left, socketId) }
          : undefined,
      holderOf(app, name, socketId),
    );
  }

  /**
   * Replaces what is known of a member.
   * @returns the version of the first roster that shows it; undefined if the user is not a member
   */
  async update(app: App, { name }: ChannelName, member: Member): Promise<number | undefined> {
    return this.order.run(
      memberOf(app, name, member.userId),
      () => this.presence.update({ scope: app.id, name }, member),
      (version) =>
        version === undefined
          ? undefined
          : { version, announce: () => this.notifier.memberUpdated(app, name, member, version) },
    );
  }

  /**
   * Whether the member has another info than an update of this version gave them. Not of one who is absent: processes
   * may be about to put back what the repository has lost.
   */
  async isOutdated(app: App, channel: string, { userId, userInfoJson }: Member, version: number): Promise<boolean> {
    const roster = await this.presence.roster({ scope: app.id, name: channel });
    if (roster.version < version) return false;
    return roster.members.some((member) => member.userId === userId && member.userInfoJson !== userInfoJson);
  }

  /**
   * A roster that shows the changes up to this version: those until a subscription are not announced to it. A replica
   * that lags behind is asked again.
   */
  async roster(app: App, { name }: ChannelName, since: number): Promise<Roster> {
    for (let waitMs = firstWaitMs; waitMs <= longestWaitMs; waitMs *= 2) {
      const roster = await this.presence.roster({ scope: app.id, name });
      if (roster.version >= since) return roster;
      await pause(waitMs);
    }
    throw new Unavailable(`The roster of ${name}`);
  }
}

/** The key of a member: changes with the same key are announced in order. */
const memberOf = (app: App, channel: string, userId: string): string => `${app.id} ${channel} ${userId}`;

/** The connection that joins and leaves, as the caller of both. */
const holderOf = (app: App, channel: string, socketId: string): string => `${app.id} ${channel} of ${socketId}`;
