import { Inject, Injectable, Optional } from '@nestjs/common';
import { isStorable } from '#common';
import { type PresenceChange, PresenceService, type Room } from 'rookery/presence';
import { Apps } from '../access/apps.js';
import type { App, AppOrId } from '../app/app.js';
import { afterUndo, allOf } from '../all-of.js';
import { Broker } from '../broker/broker.js';
import { invalidUserId } from '../channels.errors.js';
import { ChannelsSettings } from '../channels.options.js';
import { TriggerSteps } from '../events/trigger-step.js';
import { Hub } from '../hub/hub.js';
import * as frames from '../protocol/frames.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { sessionsOf } from '../protocol/reserved-channels.js';
import { signinText, verifyToken } from '../protocol/subscription-token.js';
import { ActivityTap } from '../lifecycle/activity-tap.js';
import { TransitionOrder } from '../storage/transition-order.js';
import type { Connection, SignedInUser } from '../connections/connection.js';
import { hostUserOf, SocketAuthorizer } from '../connections/socket-authorizer.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { signedInUser } from '../connections/user-data.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';
import { Watchlists } from './watchlists.js';

/** The presence room of a signed-in user. */
const roomOf = (app: App, userId: string): Room => ({ scope: app.id, name: sessionsOf(userId) });
/** The key of a user: changes with the same key are announced in order. */
const userOf = (app: App, userId: string): string => `${app.id} ${sessionsOf(userId)}`;
/** The connection that signs in and out, as the caller of both. */
const holderOf = (app: App, userId: string, socketId: string): string => `${userOf(app, userId)} of ${socketId}`;

type UserChange = Pick<PresenceChange, 'isPresent' | 'version' | 'isReturn'>;

/** Signs users in, tracks who is online, and ends a user's connections (channels-wire §3.6, §3.7, §5). */
@Injectable()
export class UsersService {
  constructor(
    private readonly apps: Apps,
    private readonly hub: Hub,
    private readonly broker: Broker,
    private readonly presence: PresenceService,
    private readonly order: TransitionOrder,
    private readonly watchlists: Watchlists,
    private readonly subscriptions: SubscriptionsService,
    private readonly webhooks: WebhooksService,
    @Optional() @Inject(SocketAuthorizer) private readonly authorizer: SocketAuthorizer | undefined,
    private readonly steps: TriggerSteps,
    private readonly settings: ChannelsSettings,
    private readonly tap: ActivityTap,
  ) {}

  /** @throws ProtocolError when the token or the user data is invalid, or when another user is already signed in */
  async signin(connection: Connection, { auth, userData }: { auth: string; userData: string }): Promise<void> {
    if (auth === '' && this.authorizer?.isOn === true)
      return this.signinAs(connection, (await hostUserOf(connection, this.authorizer)).userData);
    const { app, socketId } = connection;
    verifyToken(app, signinText(socketId, userData), auth);
    await this.signinAs(connection, userData);
  }

  /** Signs out a closed connection. */
  async signout(connection: Connection): Promise<void> {
    const { app, user } = connection;
    if (!user) return;
    connection.user = undefined;
    await allOf([
      () => this.watchlists.unwatch(connection, user.watchlist),
      () => this.hub.leave(connection, sessionsOf(user.id)),
      () => this.goOffline(app, connection.socketId, user),
    ]);
  }

  /**
   * Whether the user is signed in on any connection, as far as the presence repository knows.
   * @throws as {@link terminate}
   */
  async isOnline(app: AppOrId, userId: string): Promise<boolean> {
    const found = await this.apps.named(app);
    if (!isStorable(userId)) throw invalidUserId(userId);
    return (await this.presence.memberCount(roomOf(found, userId))) > 0;
  }

  /**
   * Closes all connections of a signed-in user, on every process (§5).
   * @throws RookeryError `app_not_found`; ChannelsApiError 400 for an id that no user can have
   */
  async terminate(named: AppOrId, userId: string): Promise<void> {
    const app = await this.apps.named(named);
    if (!isStorable(userId)) throw invalidUserId(userId);
    await this.broker.publish({ kind: 'terminate', appId: app.id, channel: sessionsOf(userId) });
    // Last, so that a failing outbox does not keep the user connected here.
    await this.steps.terminated(app, userId);
  }

  /** The same with 4200: clients reconnect at once, and sign in and subscribe with their current permissions. */
  async reconnect(app: AppOrId, userId: string): Promise<void> {
    const { id: appId } = await this.apps.named(app);
    if (!isStorable(userId)) throw invalidUserId(userId);
    await this.broker.publish({ kind: 'reconnect', appId, channel: sessionsOf(userId) });
  }

  /** Notifies the user's watchers and the listeners. */
  async announce(app: App, userId: string, { isPresent, version, isReturn }: UserChange): Promise<void> {
    if (!isPresent)
      this.webhooks.hold(
        app,
        { name: 'user_offline', user_id: userId },
        this.presence.absence(roomOf(app, userId), userId, version),
      );
    else if (!isReturn) this.webhooks.emit(app, { name: 'user_online', user_id: userId }, version);
    await this.watchlists.announce(app, userId, isPresent, version);
  }

  private async signinAs(connection: Connection, userData: string): Promise<void> {
    const { app } = connection;
    const { user, watchlistIsTooLong } = signedInUser(userData, this.settings.limits);
    if (connection.user && connection.user.id !== user.id)
      throw ProtocolError.unauthorized('Another user is signed in on this connection');
    const answer = frames.signinSuccess(userData);
    if (connection.user) return connection.send(answer);
    await this.subscriptions.subscribeUser(connection, user.id, () => this.enter(connection, user), answer);
    if (!app.watchlist) return;
    await this.watch(connection, user.watchlist);
    if (watchlistIsTooLong) connection.send(frames.error(this.tooLong()));
  }

  /** The sign-in is confirmed already: a client without its watchlist is closed, and signs in again. */
  private async watch(connection: Connection, watchlist: readonly string[]): Promise<void> {
    try {
      await this.watchlists.watch(connection, watchlist);
    } catch (error) {
      connection.close(ProtocolError.overCapacity());
      throw error;
    }
  }

  private async enter(connection: Connection, user: SignedInUser): Promise<void> {
    const { app, socketId } = connection;
    connection.user = user;
    try {
      await this.hub.join(connection, sessionsOf(user.id));
    } catch (error) {
      return afterUndo(error, [() => this.signout(connection)]);
    }
    try {
      await this.goOnline(app, socketId, user);
    } catch (error) {
      // The answer may have been lost. Repeated, the call answers whether the user came online, which is announced then.
      await this.goOnline(app, socketId, user).catch(() => undefined);
      return afterUndo(error, [() => this.signout(connection)]);
    }
    connection.isAuthorized = true;
    this.tap.observer?.observed({ appId: app.id, kind: 'signed_in', socketId, userId: user.id });
  }

  private async goOnline(app: App, socketId: string, { id }: SignedInUser): Promise<void> {
    const goingOffline = this.order.repeatOf(holderOf(app, id, socketId));
    if (goingOffline) await goingOffline;
    await this.order.run(
      userOf(app, id),
      () => this.presence.join(roomOf(app, id), socketId, { userId: id }),
      (joined) =>
        joined.outcome === 'joined' && joined.isFirst
          ? { version: joined.version, announce: () => this.announce(app, id, { ...joined, isPresent: true }) }
          : undefined,
    );
  }

  private async goOffline(app: App, socketId: string, { id }: SignedInUser): Promise<void> {
    await this.order.insist(
      userOf(app, id),
      () => this.presence.leave(roomOf(app, id), socketId),
      (left) =>
        left?.wasLast
          ? { version: left.version, announce: () => this.announce(app, id, { ...left, isPresent: false }) }
          : undefined,
      holderOf(app, id, socketId),
    );
  }

  private tooLong(): ProtocolError {
    return ProtocolError.watchlistTooLong(this.settings.limits.watchlistUsers);
  }
}
