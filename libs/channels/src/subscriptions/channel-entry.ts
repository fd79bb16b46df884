import { Injectable } from '@nestjs/common';
import { afterUndo, allOf, type Step } from '../all-of.js';
import { Broker, type Position } from '../broker/broker.js';
import type { Connection, Subscription } from '../connections/connection.js';
import type { Frame } from '../hub/frame.js';
import { Hub } from '../hub/hub.js';
import { isShown } from '../protocol/channel-name.js';
import { SessionsService } from '../wings/sessions/sessions.service.js';
import { LiveStreams } from '../wings/streams/live-streams.js';
import { isStreamed } from './cached-event.js';
import { LocalOccupancy, type VersionedCount } from './local-occupancy.js';
import { PresenceMembership } from './presence-membership.js';
import { type Authorized, SubscriptionAuthorization } from './subscription-authorization.js';
import { SubscriptionCounts } from './subscription-counts.js';
import type { Answered, Entered } from './subscription-state.js';

/** Adds connections to channels and removes them: the second step of a subscription, its last, and its end. */
@Injectable()
export class ChannelEntry {
  constructor(
    private readonly authorization: SubscriptionAuthorization,
    private readonly hub: Hub,
    private readonly broker: Broker,
    private readonly membership: PresenceMembership,
    private readonly occupancy: LocalOccupancy,
    private readonly counts: SubscriptionCounts,
    private readonly sessions: SessionsService,
    private readonly streams: LiveStreams,
  ) {}

  /**
   * From here on the channel's messages are held for the connection, and it counts as one of the channel's. A port that
   * fails halfway leaves no entry behind that would never be removed.
   */
  async enter(connection: Connection, { subscription, isUpToHost }: Authorized): Promise<Entered> {
    const { app } = connection;
    const { channel } = subscription;
    let entering = subscription;
    let count: VersionedCount | undefined;
    try {
      const prepared = this.hub.prepare(connection, channel.name);
      const streams = this.streams.on(connection, channel.name);
      await prepared;
      if (isUpToHost) entering = await this.authorization.askHost(connection, channel);
      const { member } = entering;
      if (member) (connection.joining ??= new Map()).set(channel.name, member);
      // After the messages are held: an event in between would come only with the next replay, after later events.
      const missed = connection.session && (await this.sessions.join(connection, channel.name, member?.userId));
      if (isShown(channel)) count = await this.occupancy.enter(app, channel.name);
      if (member) await this.membership.join(connection, channel, member);
      const roster = member && (await this.membership.roster(app, channel));
      const remembered = channel.isCache ? await this.broker.recall(app.id, channel.name) : undefined;
      if (streams) await streams.ready();
      return { subscription: entering, missed, count, roster, remembered, streams };
    } catch (error) {
      // What a returning client missed is kept for its next attempt.
      if (connection.session?.sentTo(channel.name) !== undefined) this.sessions.leave(connection, channel.name);
      const undo = this.exits(connection, entering, count !== undefined);
      return await afterUndo(error, undo);
    } finally {
      connection.joining?.delete(channel.name);
    }
  }

  /** Ends the hold: the channel's messages go to the connection, without those that its confirmation contained. */
  release(connection: Connection, { subscription, roster, cached, streamedTo }: Answered): void {
    const { name } = subscription.channel;
    if (roster) this.hub.learn(connection.app.id, name, roster);
    this.hub.release(connection, name, {
      version: roster?.version,
      position: cached === 'none' ? undefined : cached?.position,
      replayed: connection.session?.sentTo(name),
      ...(streamedTo !== undefined && { knows: isSaid(streamedTo) }),
    });
  }

  /** Undoes {@link enter}; all parts of it, also when one fails. */
  exit(connection: Connection, subscription: Subscription): Promise<void> {
    return allOf(this.exits(connection, subscription, isShown(subscription.channel)));
  }

  private exits(connection: Connection, { channel, member }: Subscription, isCounted: boolean): readonly Step[] {
    const { app } = connection;
    return [
      () => this.hub.leave(connection, channel.name),
      () => (member === undefined ? undefined : this.membership.leave(connection, channel, member)),
      async () => {
        if (isCounted) this.counts.changed(app, channel, await this.occupancy.leave(app, channel.name));
      },
    ];
  }
}

/** Pieces of streams that the texts of the streams contain. */
const isSaid =
  (to: Position) =>
  ({ event, position }: Frame): boolean =>
    position <= to && isStreamed(event);
