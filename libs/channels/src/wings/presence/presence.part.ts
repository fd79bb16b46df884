import { Injectable } from '@nestjs/common';
import type { Awaitable } from '#common';
import type { Member } from 'rookery/presence';
import type { Connection, Subscription } from '../../connections/connection.js';
import { Hub } from '../../hub/hub.js';
import { presenceSucceeded } from '../../protocol/frames.js';
import { ProtocolError } from '../../protocol/protocol-error.js';
import type { JoinedPart, Joining, SubscriptionPart } from '../../subscriptions/subscription-part.js';
import { PresenceMembership } from './presence-membership.js';
import { rosterText } from './roster-text.js';
import { shownBy } from './shown-changes.js';

/** Makes the connection a member of its presence channel; the confirmation contains the roster. */
@Injectable()
export class PresencePart implements SubscriptionPart {
  constructor(
    private readonly membership: PresenceMembership,
    private readonly hub: Hub,
  ) {}

  enter(joining: Joining): Promise<JoinedPart> | undefined {
    const { member } = joining.subscription;
    return member && this.join(joining, member);
  }

  exit(connection: Connection, { channel, member }: Subscription): Awaitable<void> {
    return member && this.membership.leave(connection, channel, member);
  }

  private async join({ connection, subscription, undo }: Joining, member: Member): Promise<JoinedPart> {
    const { app } = connection;
    const { channel } = subscription;
    const exit = (): Awaitable<void> => this.exit(connection, subscription);
    let since;
    try {
      since = await this.membership.join(connection, channel, member);
    } catch (error) {
      // The repository may have made it a member although its answer was lost. It refuses one that is not a member.
      if (!(error instanceof ProtocolError))
        undo.push(async () => {
          // Repeated, it answers whether the member was added. Unannounced, a return would not be announced either.
          await this.membership.join(connection, channel, member).catch(() => undefined);
          await exit();
        });
      throw error;
    }
    undo.push(exit);
    subscription.memberVersion = since;
    const roster = await this.membership.roster(app, channel, since);
    return {
      confirmation: () => presenceSucceeded(channel.name, rosterText(roster.members)),
      confirmed: () => this.hub.changesOf({ appId: app.id, channel: channel.name })?.members.learn(roster),
      alreadySent: () => ({ version: roster.version, has: shownBy(roster, channel.name) }),
    };
  }
}
