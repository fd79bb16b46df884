import { Injectable, Logger } from '@nestjs/common';
import { type Awaitable, ThisNode } from '#common';
import { PartOfRookery } from '#http';
import { allOf } from '../all-of.js';
import { ChannelsSettings } from '../channels.options.js';
import type { ClientMessage } from '../protocol/client-message.js';
import { connectionEstablished, error, pong, subscriptionError } from '../protocol/frames.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { ChannelRepository } from '../storage/channel.repository.js';
import { TransitionOrder } from '../storage/transition-order.js';
import { SessionsService } from '../wings/sessions/sessions.service.js';
import { SubscriptionsService } from '../subscriptions/subscriptions.service.js';
import { UsersService } from '../users/users.service.js';
import { ClientEvents } from '../events/client-events.js';
import type { Connection } from '../connections/connection.js';
import { sessions } from '../connections/session.js';

type Message<E extends ClientMessage['event']> = Extract<ClientMessage, { event: E }>;

/**
 * Handles what clients send over their sockets, one method for each message of the protocol (channels-wire §1.4, §3, §4).
 * {@link SocketServer} serves it; the application's WebSocket adapter stays the host's own.
 */
@Injectable()
@PartOfRookery()
export class ChannelsGateway {
  private readonly logger = new Logger('Channels');

  constructor(
    private readonly subscriptions: SubscriptionsService,
    private readonly users: UsersService,
    private readonly clientEvents: ClientEvents,
    private readonly repository: ChannelRepository,
    private readonly order: TransitionOrder,
    private readonly node: ThisNode,
    private readonly settings: ChannelsSettings,
    private readonly sessions: SessionsService,
  ) {}

  async handleConnection(connection: Connection): Promise<void> {
    if (connection.isConfirmed) await this.admitUnlessLater(connection);
    // A client that has left meanwhile needs no session.
    if (sessions.of(connection) && !connection.isClosed) await this.openSession(connection);
    connection.send(connectionEstablished(connection.socketId, this.settings.activityTimeoutSeconds));
  }

  /** A client over HTTP has sent its second request. */
  async handleConfirmed(connection: Connection): Promise<void> {
    if (!connection.isClosed) await this.admitUnlessLater(connection);
  }

  async handleDisconnect(connection: Connection): Promise<void> {
    await allOf([
      () => this.subscriptions.leaveAll(connection),
      () => this.users.signout(connection),
      () => (connection.isAdmitted ? this.dismiss(connection) : undefined),
    ]);
  }

  ping(connection: Connection): void {
    connection.onHeartbeat();
    connection.send(pong);
  }

  // Every message counts as activity; a pong may also acknowledge what the client has received.
  pong(connection: Connection): void {
    connection.ponged();
    this.sessions.ponged(connection);
  }

  async subscribe(connection: Connection, message: Message<'pusher:subscribe'>): Promise<void> {
    await this.subscriptions.subscribe(connection, message);
    await this.admitAuthorized(connection);
  }

  unsubscribe(connection: Connection, { channel }: Message<'pusher:unsubscribe'>): Promise<void> {
    return this.subscriptions.unsubscribe(connection, channel);
  }

  async signin(connection: Connection, message: Message<'pusher:signin'>): Promise<void> {
    await this.users.signin(connection, message);
    if (connection.user) this.sessions.signedIn(connection, connection.user.id);
    await this.admitAuthorized(connection);
  }

  clientEvent(connection: Connection, message: Message<'client'>): Promise<void> {
    return this.clientEvents.relay(connection, message);
  }

  /** Reports a refusal to the client. A failed subscription is reported twice, once for each kind of client (§10.2). */
  refuse(connection: Connection, refusal: ProtocolError, message: ClientMessage | undefined): void {
    connection.send(error(refusal));
    const channel = message?.event === 'pusher:subscribe' ? message.channel : refusal.channel;
    if (channel !== undefined) connection.send(subscriptionError(channel, refusal));
  }

  private async openSession(connection: Connection): Promise<void> {
    try {
      await this.sessions.open(connection);
    } catch (error) {
      if (error instanceof ProtocolError) return connection.close(error);
      this.logger.error(`A session of app ${connection.app.id} cannot be read: ${String(error)}`);
      connection.close(ProtocolError.overCapacity());
    }
  }

  /** Apps that require authorization count a connection towards the quota only once it is authorized (§1.5). */
  private async admitUnlessLater(connection: Connection): Promise<void> {
    if (connection.app.authorizationTimeoutSeconds === null && !connection.isAdmitted) await this.admit(connection);
  }

  private async admitAuthorized(connection: Connection): Promise<void> {
    if (connection.isAuthorized && !connection.isAdmitted) await this.admit(connection);
  }

  // A connection that cannot be counted is closed to reconnect later. Otherwise it would wait forever for its greeting.
  private async admit(connection: Connection): Promise<void> {
    const { app } = connection;
    try {
      const limit = app.maxConnections ?? Infinity;
      connection.isAdmitted = await this.repository.admit(app.id, this.node.id, connection.socketId, limit);
      if (!connection.isAdmitted) connection.close(ProtocolError.overQuota());
    } catch (error) {
      this.logger.error(`A connection of app ${app.id} cannot be counted: ${String(error)}`);
      // It may have been counted despite the error.
      connection.isAdmitted = true;
      connection.close(ProtocolError.overCapacity());
    }
  }

  private async dismiss({ app, socketId }: Connection): Promise<void> {
    const dismissed = (): Awaitable<void> => this.repository.dismiss(app.id, this.node.id, socketId);
    await this.order.insist(`${app.id} connection ${socketId}`, dismissed, () => undefined);
  }
}
