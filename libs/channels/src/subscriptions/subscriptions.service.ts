import { Injectable } from '@nestjs/common';
import type { AppOrId } from '../app/app.js';
import { Apps } from '../access/apps.js';
import { afterUndo, allOf } from '../all-of.js';
import { Broker } from '../broker/broker.js';
import { Budgets } from '../connections/budgets.js';
import type { Connection, Subscription } from '../connections/connection.js';
import { enqueueWork } from '../connections/enqueue-work.js';
import { Hub } from '../hub/hub.js';
import { ActivityTap, type Observed } from '../lifecycle/activity-tap.js';
import { userChannelOf } from '../protocol/channel-name.js';
import * as frames from '../protocol/frames.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { ChannelEntry, type Joined } from './channel-entry.js';
import { answerTo } from './subscription-answer.js';
import { revokedChannels, SubscriptionAuthorization, type SubscribeRequest } from './subscription-authorization.js';

/** Subscribes and unsubscribes connections. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly budgets: Budgets,
    private readonly authorization: SubscriptionAuthorization,
    private readonly hub: Hub,
    private readonly entry: ChannelEntry,
    private readonly broker: Broker,
    private readonly apps: Apps,
    private readonly tap: ActivityTap,
  ) {}

  /**
   * Subscribes a connection (channels-wire §3.1-§3.4). A client is confirmed or refused, never both: after the
   * confirmation, a failure closes the connection.
   * @throws ProtocolError when the request is refused; the connection is unchanged
   */
  async subscribe(connection: Connection, request: SubscribeRequest): Promise<void> {
    this.budgets.subscribe(connection);
    if (confirmSignedIn(connection, request.channel)) return;
    const authorized = await this.authorization.subscriptionFor(connection, request);
    if (!this.hub.has(connection.app.id, authorized.subscription.channel.name)) this.budgets.openChannel(connection);
    await this.confirm(connection, await this.entry.enter(connection, authorized));
  }

  /**
   * Puts a connection on the channel of the user that it signs in as, so that events for the user follow the answer to
   * the sign-in (channels-wire §3.6).
   * @param signin what signs the user in, while the channel's events are held
   * @param answer confirms both
   * @throws what `signin` throws; the connection is unchanged
   */
  async subscribeUser(
    connection: Connection,
    userId: string,
    signin: () => Promise<void>,
    answer: string,
  ): Promise<void> {
    const subscription: Subscription = { channel: userChannelOf(userId), isBySignin: true };
    const joined = await this.entry.enter(connection, { subscription });
    try {
      await signin();
    } catch (error) {
      await afterUndo(error, [() => this.entry.exit(connection, subscription)]);
    }
    await this.confirm(connection, joined, answer);
  }

  /** @throws ProtocolError when the connection is not on the channel */
  async unsubscribe(connection: Connection, name: string): Promise<void> {
    const subscription = connection.subscriptions?.get(name);
    if (!subscription) throw ProtocolError.notSubscribed(name.slice(0, 200));
    this.entry.unsubscribed(connection, name);
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
   * @param app default: the only configured app
   * @throws RookeryError `app_not_found`; Error when there are several apps and none is named
   */
  async revoke(userId: string, channel: string, app: AppOrId | undefined = this.apps.defaultId): Promise<void> {
    if (app === undefined) throw new Error('SubscriptionsService: which app? Write revoke(userId, channel, app)');
    const { id: appId } = await this.apps.named(app);
    await this.broker.publish({ kind: 'revoke', appId, channel, userId });
  }

  /** Carries out a {@link revoke} for a connection of this process that is on the channel, or about to join it. */
  revokeHere(connection: Connection, name: string, userId: string): void {
    // Work in progress may turn it into the user's connection.
    if (!connection.isBusy && !isOf(userId, connection, name)) return;
    enqueueWork(connection, async () => {
      const subscription = connection.subscriptions?.get(name);
      if (!subscription || !isOf(userId, connection, name)) return;
      (revokedChannels.of(connection) ?? revokedChannels.set(connection, new Set())).add(name);
      this.entry.unsubscribed(connection, name);
      await this.leave(connection, subscription);
      connection.send(frames.subscriptionError(name, ProtocolError.revoked(name)));
    });
  }

  private async confirm(connection: Connection, joined: Joined, answer?: string): Promise<void> {
    const sent = (bytes: number): void => this.budgets.answered(connection, bytes);
    await connection.confirm(joined.subscription, answerTo(joined, sent, answer));
    this.tap.observer?.observed({ ...observedOf('subscribed', connection, joined.subscription), ...sentTo(joined) });
    this.entry.release(connection, joined);
  }

  private async leave(connection: Connection, subscription: Subscription): Promise<void> {
    connection.left(subscription.channel.name);
    if (!connection.isClosed) this.tap.observer?.observed(observedOf('unsubscribed', connection, subscription));
    await this.entry.exit(connection, subscription);
  }
}

/**
 * Confirms the client's own subscription to its user's channel, on which it has been since it signed in.
 * @returns false if there is nothing to confirm
 */
function confirmSignedIn(connection: Connection, name: string): boolean {
  const { channel, isBySignin } = connection.subscriptions?.get(name) ?? {};
  if (!channel || !isBySignin) return false;
  connection.subscriptions?.set(name, { channel });
  connection.send(frames.subscriptionSucceeded(name));
  return true;
}

/** Whether a connection on a channel belongs to the user. */
const isOf = (userId: string, { subscriptions, user, hostUser }: Connection, channel: string): boolean =>
  [subscriptions?.get(channel)?.member?.userId, user?.id, hostUser?.id].includes(userId);

/** What the parts sent to the client. */
const sentTo = ({ parts }: Joined): Partial<Observed> =>
  Object.assign({}, ...parts.map((part) => part.sent?.())) as Partial<Observed>;

const observedOf = (
  kind: 'subscribed' | 'unsubscribed',
  { app, socketId, user }: Connection,
  { channel, member }: Subscription,
): Observed => ({ appId: app.id, kind, channel: channel.name, socketId, userId: member?.userId ?? user?.id });
