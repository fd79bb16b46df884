import { Injectable } from '@nestjs/common';
import type { Awaitable } from 'rookery/common';
import { type Member, PresenceService, type Roster } from 'rookery/presence';
import type { App } from '../access/app.js';
import { limitsOf } from '../access/app-limits.js';
import { ChannelsSettings } from '../channels.options.js';
import type { Connection } from '../connections/connection.js';
import type { ChannelName } from '../protocol/channel-name.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { TransitionOrder } from '../storage/transition-order.js';
import { ChannelNotifier } from './channel-notifier.js';

/** Takes the members of presence channels in and out, and has their coming and going told in the order of the ledger. */
@Injectable()
export class PresenceMembership {
  constructor(
    private readonly presence: PresenceService,
    private readonly order: TransitionOrder,
    private readonly notifier: ChannelNotifier,
    private readonly settings: ChannelsSettings,
  ) {}

  /** @throws ProtocolError when the channel has as many members as it may */
  async join({ app, socketId }: Connection, { name }: ChannelName, member: Member): Promise<void> {
    const { presenceMembers: limit } = limitsOf(app, this.settings.limits);
    const joined = await this.order.run(
      memberOf(app, name, member.userId),
      () => this.presence.join({ scope: app.id, name }, socketId, member, limit),
      (answer) =>
        answer.outcome === 'joined' && answer.isFirst
          ? { version: answer.version, tell: () => this.notifier.memberAdded(app, name, member, answer, socketId) }
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
          ? { version: left.version, tell: () => this.notifier.memberRemoved(app, name, userId, left.version) }
          : undefined,
    );
  }

  roster(app: App, { name }: ChannelName): Awaitable<Roster> {
    return this.presence.roster({ scope: app.id, name });
  }
}

/** What changes of a member are told in the order of. */
const memberOf = (app: App, channel: string, userId: string): string => `${app.id} ${channel} ${userId}`;
