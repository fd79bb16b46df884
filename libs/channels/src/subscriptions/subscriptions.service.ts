import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Roster } from 'rookery/presence';
import type { App } from '../app/app.js';
import { Apps } from '../access/apps.js';
import { afterUndo, allOf } from '../all-of.js';
import { historyOf } from '../app/history-rule.js';
import { Broker, type Position, type RememberedEvent } from '../broker/broker.js';
import { ChannelsSettings } from '../channels.options.js';
import type { ChannelStreams } from '../hub/channel-streams.js';
import { Hub } from '../hub/hub.js';
import { memberFrom, rosterText } from './members.js';
import { type ChannelName, isShown, parseChannelName } from '../protocol/channel-name.js';
import * as frames from '../protocol/frames.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { pieceOf } from '../protocol/stream-piece.js';
import type { Connection, Subscription } from '../connections/connection.js';
import { enqueueWork } from '../connections/enqueue-work.js';
import { SocketAuthorizer } from '../connections/socket-authorizer.js';
import { ActivityTap } from '../lifecycle/activity-tap.js';
import { LocalOccupancy, type VersionedCount } from './local-occupancy.js';
import { SubscriptionCounts } from './subscription-counts.js';
import { authorize, memberFor, type SubscribeRequest } from './subscribe-request.js';
import { Replay, type Replayed } from './replay.js';
import { PresenceMembership } from './presence-membership.js';
import { type Missed, SessionsService } from './sessions.service.js';
import { UsersService } from '../users/users.service.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';

/** A subscription that counts and receives messages, but is not confirmed yet. */
interface Occupied {
  readonly subscription: Subscription;
  readonly missed: Missed | undefined;
  readonly count: VersionedCount | undefined;
  readonly roster: Roster | undefined;
  readonly remembered: RememberedEvent | undefined;
  readonly streams: ChannelStreams | undefined;
}

/** Subscribes and unsubscribes connections, and announces the changes. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly hub: Hub,
    private readonly broker: Broker,
    private readonly membership: PresenceMembership,
    private readonly occupancy: LocalOccupancy,
    private readonly counts: SubscriptionCounts,
    private readonly webhooks: WebhooksService,
    private readonly sessions: SessionsService,
    private readonly replay: Replay,
    private readonly users: UsersService,
    @Optional() @Inject(SocketAuthorizer) private readonly authorizer: SocketAuthorizer | undefined,
    private readonly apps: Apps,
    private readonly settings: ChannelsSettings,
    private readonly tap: ActivityTap,
  ) {}

  /**
   * Subscribes a connection (channels-wire §3.1-§3.4). Cheap checks come first: an unauthorized request touches no
   * shared state. Everything that can fail comes before the confirmation: a client is confirmed or refused, never both.
   * @throws ProtocolError when the request is refused; the connection is unchanged
   */
  async subscribe(connection: Connection, request: SubscribeRequest): Promise<void> {
    const channel = this.check(connection, request);
    const authorized = this.isHostAsked(channel, request)
      ? await this.askHost(connection, channel)
      : this.checkToken(connection, channel, request);
    const occupied = await this.occupy(connection, authorized);
    this.confirm(connection, occupied);
    const { missed, streams } = occupied;
    const leavesOut = streams && isStreamed;
    const replayed = missed && (await this.replay.send(connection, channel.name, missed, leavesOut));
    const streamed = streams && (await this.sendStreams(connection, streams));
    this.release(connection, occupied, replayed, streamed);
    if (occupied.count !== undefined) this.counts.changed(connection.app, channel, occupied.count);
  }

  /** @throws ProtocolError when the connection is not on the channel */
  async unsubscribe(connection: Connection, name: string): Promise<void> {
    const subscription = connection.subscriptions?.get(name);
    if (!subscription) throw ProtocolError.notSubscribed(name.slice(0, 200));
    this.sessions.leave(connection, name);
    await this.leave(connection, subscription);
  }

  /** Removes a closed connection from all channels. */
  async leaveAll(connection: Connection): Promise<void> {
    const subscriptions = [...(connection.subscriptions?.values() ?? [])];
    await allOf(subscriptions.map((subscription) => () => this.leave(connection, subscription)));
  }

  /**
   * Removes a user from a channel at once, on all processes, and tells the user's clients. It applies to connections
   * that belong to the user by the host's own login, are signed in as the user, or are on a presence channel as the
   * user. Tokens that such a connection received before are no longer accepted; a SocketAuthorizer is asked again.
   * @param app the app or its id. Default: the only configured app
   * @throws Error when there are several apps and none is named
   */
  async revoke(userId: string, channel: string, app: App | string | undefined = this.apps.onlyId): Promise<void> {
    if (app === undefined) throw new Error('SubscriptionsService: which app? Write revoke(userId, channel, app)');
    const appId = typeof app === 'string' ? app : app.id;
    await this.broker.publish({ kind: 'revoke', appId, channel, userId });
  }

  private check(connection: Connection, request: SubscribeRequest): ChannelName {
    const channel = parseChannelName(request.channel, this.settings.limits);
    if (!channel) throw ProtocolError.invalidChannel();
    if (connection.subscriptions?.has(channel.name)) throw ProtocolError.alreadySubscribed(channel.name);
    const { subscriptions: most } = this.settings.limits;
    if ((connection.subscriptions?.size ?? 0) >= most) throw ProtocolError.tooManySubscriptions(most);
    return channel;
  }

  private isHostAsked({ access }: ChannelName, { auth = '' }: SubscribeRequest): boolean {
    return auth === '' && this.authorizer?.isOn === true && (access === 'private' || access === 'presence');
  }

  private checkToken(connection: Connection, channel: ChannelName, request: SubscribeRequest): Subscription {
    authorize(connection, channel, request);
    if (channel.access !== 'presence') return { channel };
    return { channel, member: memberFor(connection, request, this.settings.limits) };
  }

  // The host is asked only once the channel's messages reach this process, so a later revocation is not missed.
  private async askHost(connection: Connection, channel: ChannelName): Promise<Subscription> {
    await this.users.hostUser(connection);
    try {
      await this.hub.prepare(connection, channel.name);
      const channelData = await this.authorizer!.channelData(connection, channel.name); // It is on: see isHostAsked.
      const member = channelData === undefined ? undefined : memberFrom(channelData, this.settings.limits);
      connection.revoked?.delete(channel.name);
      return member === undefined ? { channel } : { channel, member };
    } catch (error) {
      return await afterUndo(error, () => this.hub.leave(connection, channel.name));
    }
  }

  /**
   * From here on the channel's messages are kept for the connection, and it counts as one of the channel's. A port that
   * fails halfway leaves no entry behind that would never be removed.
   */
  private async occupy(connection: Connection, subscription: Subscription): Promise<Occupied> {
    const { app } = connection;
    const { channel, member } = subscription;
    let count: VersionedCount | undefined;
    if (member) (connection.joining ??= new Map()).set(channel.name, member);
    try {
      await this.hub.prepare(connection, channel.name);
      // After it: an event in between would come only with the next replay, after later events.
      const missed = connection.session && (await this.sessions.join(connection, channel.name, member?.userId));
      if (isShown(channel)) count = await this.occupancy.enter(app, channel.name);
      if (member) await this.membership.join(connection, channel, member);
      const roster = member && (await this.membership.roster(app, channel));
      const remembered = channel.isCache ? await this.broker.recall(app.id, channel.name) : undefined;
      const streams = this.hub.streamsFor(connection, channel.name);
      await streams?.ready();
      return { subscription, missed, count, roster, remembered, streams };
    } catch (error) {
      if (connection.session?.missedSince(channel.name) === undefined) this.sessions.leave(connection, channel.name);
      return await afterUndo(error, () => this.takeOut(connection, subscription, count !== undefined));
    } finally {
      connection.joining?.delete(channel.name);
    }
  }

  private confirm(connection: Connection, { subscription, roster }: Occupied): void {
    const { name, access } = subscription.channel;
    connection.subscriptions ??= new Map();
    connection.subscriptions.set(name, subscription);
    if (access === 'private' || access === 'presence') connection.isAuthorized = true;
    connection.send(
      roster ? frames.presenceSucceeded(name, rosterText(roster.members)) : frames.subscriptionSucceeded(name),
    );
  }

  /** Sends the kept messages, without those that the roster, the replay or the remembered event contained. */
  private release(
    connection: Connection,
    { subscription, missed, roster, remembered, streams }: Occupied,
    replayed: Replayed | undefined,
    streamed: Position | undefined,
  ): void {
    const { channel } = subscription;
    const isSent =
      channel.isCache &&
      !(streams && remembered && isStreamed(remembered.text)) &&
      !hasLatest(remembered, replayed, missed?.hasGap ? undefined : missed?.since) &&
      this.sendRemembered(connection, channel, remembered);
    const position = isSent ? remembered?.position : undefined;
    this.observe(connection, subscription, replayed?.to, position);
    if (roster) this.hub.learn(connection.app.id, channel.name, roster);
    const sent = connection.session?.sentTo(channel.name);
    this.hub.release(connection, channel.name, { version: roster?.version, position, replayed: sent, streamed });
  }

  /**
   * Sends what the channel's streams have said.
   * @returns up to which position
   */
  private async sendStreams(connection: Connection, streams: ChannelStreams): Promise<Position> {
    const { texts, to } = streams.catchUp();
    await this.replay.sendAll(connection, texts);
    return to;
  }

  /** Carries out a {@link revoke} for a connection of this process that is on the channel, or about to join it. */
  revokeHere(connection: Connection, name: string, userId: string): void {
    // Work in progress may turn it into the user's connection.
    if (!connection.work && !isOf(userId, connection, name)) return;
    enqueueWork(connection, async () => {
      const subscription = connection.subscriptions?.get(name);
      if (!subscription || !isOf(userId, connection, name)) return;
      (connection.revoked ??= new Set()).add(name);
      this.sessions.leave(connection, name);
      await this.leave(connection, subscription);
      connection.send(frames.subscriptionError(name, ProtocolError.revoked(name)));
    });
  }

  /**
   * @returns whether the connection already has the event: one that arrived since the subscribe began is kept for it
   */
  private sendRemembered(connection: Connection, { name }: ChannelName, event: RememberedEvent | undefined): boolean {
    if (!event) {
      connection.send(frames.cacheMiss(name));
      this.webhooks.emit(connection.app, { name: 'cache_miss', channel: name });
      return false;
    }
    if (this.hub.isPending(connection, name, event.position)) return false;
    const isKept = historyOf(connection.app, name, this.settings.limits) !== undefined;
    connection.send(isKept ? frames.placed(event.text, event.position) : event.text);
    return true;
  }

  private async leave(connection: Connection, subscription: Subscription): Promise<void> {
    connection.subscriptions?.delete(subscription.channel.name);
    if (!connection.isClosed) this.observe(connection, subscription);
    await this.takeOut(connection, subscription, isShown(subscription.channel));
  }

  /** A connection that is no longer on the channel has left it. */
  private observe(
    connection: Connection,
    { channel, member }: Subscription,
    replayedTo?: Position,
    remembered?: Position,
  ) {
    const { observer } = this.tap;
    if (!observer) return;
    const kind = connection.subscriptions?.has(channel.name) ? 'subscribed' : 'unsubscribed';
    const userId = member?.userId ?? connection.user?.id;
    const { app, socketId } = connection;
    observer.happened({ appId: app.id, kind, channel: channel.name, socketId, userId, replayedTo, remembered });
  }

  private takeOut(connection: Connection, { channel, member }: Subscription, isCounted: boolean): Promise<void> {
    return allOf([
      () => this.hub.leave(connection, channel.name),
      () => (member === undefined ? undefined : this.membership.leave(connection, channel, member)),
      () => (isCounted ? this.vacate(connection, channel) : undefined),
    ]);
  }

  private async vacate({ app }: Connection, channel: ChannelName): Promise<void> {
    this.counts.changed(app, channel, await this.occupancy.leave(app, channel.name));
  }
}

const isStreamed = (text: string): boolean => pieceOf(text) !== undefined;

/** Whether a connection on a channel belongs to the user. */
const isOf = (userId: string, { subscriptions, user, hostUser }: Connection, channel: string): boolean =>
  [subscriptions?.get(channel)?.member?.userId, user?.id, hostUser?.id].includes(userId);

/** Whether a returning client has the latest event of a cache channel, judging by its position and the replay. */
function hasLatest(
  remembered: RememberedEvent | undefined,
  replayed: Replayed | undefined,
  missedSince: Position | undefined,
): boolean {
  if (!replayed || missedSince === undefined) return false;
  return remembered ? remembered.position <= (replayed.last ?? missedSince) : replayed.last !== undefined;
}
