import { Injectable } from '@nestjs/common';
import type { Awaitable } from '#common';
import { type Member, PresenceService, type Roster } from 'rookery/presence';
import type { App } from '../../app/app.js';
import { limitsOf } from '../../app/app-limits.js';
import { ChannelsSettings } from '../../channels.options.js';
import type { Connection } from '../../connections/connection.js';
import type { ChannelName } from '../../protocol/channel-name.js';
import { ProtocolError } from '../../protocol/protocol-error.js';
import { TransitionOrder } from '../../storage/transition-order.js';
import { ChannelNotifier } from '../channel-notifier.js';

/** Adds and removes the members of presence channels, and announces the changes in the order of the repository. */
@Injectable()
export class PresenceMembership {
  constructor(
    private readonly presence: PresenceService,
    private readonly order: TransitionOrder,
    private readonly notifier: ChannelNotifier,
    private readonly settings: ChannelsSettings,
  ) {}

  /** @throws ProtocolError when the channel is full */
  async join({ app, socketId }: Connection, { name }: ChannelName, member: Member): Promise<void> {
    const { presenceMembers: limit } = limitsOf(app, this.settings.limits);
    const joined = await this.order.run(
      memberOf(app, name, member.userId),
      () => this.presence.join({ scope: app.id, name }, socketId, member, limit),
      (answer) =>
        answer.outcome === 'joined' && answer.isFirst
          ? { version: answer.version, announce: () => this.notifier.memberAdded(app, name, member, answer, socketId) }
          : undefined,
    );
    if (joined.outcome === 'full') throw ProtocolError.channelFull(name, limit);
  }

  async leave({ app, socketId }: Connection, { name }: ChannelName, { userId }: Member): Promise<void> {
    await this.order.insist(
      memberOf(app, name, userId),
      () => this.presence.leave({ scope: app.id, name }, socketId),
      (left) =>
        left?.wasLast
          ? { version: left.version, announce: () => this.notifier.memberRemoved(app, name, userId, left) }
          : undefined,
    );
  }

  roster(app: App, { name }: ChannelName): Awaitable<Roster> {
    return this.presence.roster({ scope: app.id, name });
  }
}

/** The key of a member: changes with the same key are announced in order. */
const memberOf = (app: App, channel: string, userId: string): string => `${app.id} ${channel} ${userId}`;
