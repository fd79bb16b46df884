import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit, Optional } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { ownText, QuietLog } from '#common';
import { isLocalRequest } from '#http';
import type { App } from '../app/app.js';
import { Apps } from '../access/apps.js';
import { ChannelsSettings } from '../channels.options.js';
import { Backlog, type BacklogLimits } from '../connections/backlog.js';
import { Budgets } from '../connections/budgets.js';
import { Connection, type ConnectionListener } from '../connections/connection.js';
import { enqueueWork } from '../connections/enqueue-work.js';
import { KeepAlive } from '../connections/keep-alive.js';
import { callClosed } from '../connections/once-closed.js';
import { Session, sessions } from '../connections/session.js';
import { SocketAuthorizer } from '../connections/socket-authorizer.js';
import type { Transport } from '../connections/transport.js';
import { Hub } from '../hub/hub.js';
import { ActivityTap } from '../lifecycle/activity-tap.js';
import { ChannelsMetrics } from '../metrics.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { newSocketId } from '../protocol/socket-id.js';
import { changeApp } from './app-changes.js';
import { ChannelsGateway } from './channels.gateway.js';
import { ClientAddresses } from '../access/client-addresses.js';
import { type ConnectionRequest, isEncrypted, isOriginAllowed } from './connection-request.js';
import { ClientShutdown } from './client-shutdown.js';
import { HttpServers } from './http-servers.js';
import { MessageLoop } from './message-loop.js';

/** Decides which clients may connect, and opens their connections on any transport. */
@Injectable()
export class ConnectionsService implements ConnectionListener, OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Channels');
  private readonly slow = new QuietLog((line) => this.logger.warn(line));
  private readonly backlog: Backlog;
  private keepAlive: KeepAlive | undefined;

  constructor(
    private readonly servers: HttpServers,
    private readonly hub: Hub,
    private readonly apps: Apps,
    private readonly gateway: ChannelsGateway,
    private readonly loop: MessageLoop,
    private readonly metrics: ChannelsMetrics,
    private readonly shutdown: ClientShutdown,
    @Optional() @Inject(SocketAuthorizer) private readonly authorizer: SocketAuthorizer | undefined,
    private readonly settings: ChannelsSettings,
    private readonly tap: ActivityTap,
    private readonly addresses: ClientAddresses,
    private readonly budgets: Budgets,
  ) {
    this.backlog = new Backlog(settings.limits, budgets.ledger.process, (connection, limit) =>
      this.closeSlow(connection, limit),
    );
  }

  onModuleInit(): void {
    if (this.servers.own)
      this.keepAlive = new KeepAlive(this.hub.connections, this.settings, (connection) =>
        this.closeSlow(connection, 'readProofMs'),
      );
  }

  onApplicationShutdown(): void {
    this.keepAlive?.stop();
    this.backlog.stop();
    this.slow.end();
  }

  /** @returns the app that the client may connect to, or the reason why not */
  async check(asked: ConnectionRequest, request: IncomingMessage): Promise<App | ProtocolError> {
    if (!this.shutdown.isServing) return this.shutdown.refusal();
    try {
      const app = await this.apps.findByKey(asked.key);
      const refusal = this.refusal(asked, app, request);
      if (refusal) this.observeRefusal(app, refusal, asked, request);
      return refusal ?? app!;
    } catch (error) {
      this.logger.error(`A connection could not be opened: ${String(error)}`);
      return ProtocolError.overCapacity();
    }
  }

  /** Counts a refused connection and reports it to the activity tap. */
  observeRefusal(
    app: App | undefined,
    { code, message }: ProtocolError,
    { key }: ConnectionRequest,
    request: IncomingMessage,
  ): void {
    const { origin } = request.headers;
    if (app) this.metrics.of(app.id).refusals += 1;
    this.tap.observer?.observed({
      appId: app?.id,
      kind: 'error',
      code,
      message: shortened(message),
      refusal: {
        key: shortened(key),
        remoteAddress: this.addresses.of(request),
        origin: origin && shortened(origin),
      },
    });
  }

  /** Opens a connection to a checked app. The transport reports the client's messages to the returned connection. */
  open(
    app: App,
    { protocol, key, session: id }: ConnectionRequest,
    transport: Transport,
    request: IncomingMessage,
  ): Connection {
    const { queuedBytes, subscriptions } = this.settings.limits;
    const isKnown = id !== undefined && app.history.length > 0;
    const { writes } = this.hub;
    const connection = new Connection(app, newSocketId(), protocol, transport, queuedBytes, writes, this);
    if (isKnown) sessions.set(connection, new Session({ appId: app.id, key, id }, subscriptions));
    connection.key = this.apps.used(app, key, Math.floor(Date.now() / 1000));
    if (this.authorizer?.isOn) connection.request = request;
    connection.network = this.budgets.network(this.addresses.of(request));
    connection.network?.add('connections', 1);
    connection.forwardedAddress = this.addresses.forwarded(request);
    connection.origin = request.headers.origin && shortened(request.headers.origin);
    this.hub.connections.add(connection);
    this.metrics.of(app.id).connections += 1;
    this.tap.observer?.observed({ appId: app.id, kind: 'connected', socketId: connection.socketId });
    enqueueWork(connection, () => this.gateway.handleConnection(connection));
    // The app may have changed while the client was being checked.
    const latest = this.apps.latest(app);
    if (latest !== app) changeApp(connection, latest);
    return connection;
  }

  onText(connection: Connection, text: string): void {
    this.loop.take(connection, text);
  }

  onConfirmed(connection: Connection): void {
    enqueueWork(connection, () => this.gateway.handleConfirmed(connection));
  }

  onClosed(connection: Connection): void {
    this.hub.connections.delete(connection);
    connection.network?.add('connections', -1);
    this.metrics.of(connection.app.id).connections -= 1;
    if (!this.shutdown.closesLast) this.keepAlive?.closed(connection);
    this.observeEnd(connection);
    callClosed(connection);
    enqueueWork(connection, this.shutdown.leave(connection));
  }

  onInputRefused(connection: Connection, limit: 'processInputBytes' | 'messageMs'): void {
    this.metrics.limitReached(limit);
    connection.close(ProtocolError.unfinishedInput());
  }

  onHeartbeat(connection: Connection): void {
    this.budgets.heartbeat(connection);
  }

  onPinged(connection: Connection): void {
    const gotAll = sessions.of(connection)?.pinged();
    if (gotAll) connection.awaitAcknowledgement(gotAll);
  }

  onWaiting(connection: Connection): void {
    this.backlog.add(connection);
  }

  onTooSlow(connection: Connection): void {
    this.metrics.limitReached('queuedBytes');
    this.observeSlow(connection);
  }

  private closeSlow(connection: Connection, limit: keyof BacklogLimits | 'readProofMs'): void {
    this.metrics.limitReached(limit);
    this.observeSlow(connection);
    connection.close(ProtocolError.tooSlow());
    // The bytes that wait are needed for others.
    if (limit === 'processQueuedBytes') connection.destroy();
  }

  private observeSlow({ socketId, app }: Connection): void {
    this.metrics.slowConnections.inc();
    this.metrics.of(app.id).slowCloses += 1;
    this.tap.observer?.observed({ appId: app.id, kind: 'slow_closed', socketId });
    this.slow.add(`Connection ${socketId} of app ${app.id} reads too slowly and is closed with 4100`);
  }

  private observeEnd({ app, socketId, user, ending, subscriptions }: Connection): void {
    const { observer } = this.tap;
    if (!observer) return;
    const { code = null, reason = 'Connection lost' } = ending ?? {};
    const disconnected = {
      appId: app.id,
      kind: 'disconnected',
      socketId,
      userId: user?.id,
      code,
      message: reason,
    } as const;
    observer.observed({ ...disconnected, channels: subscriptions });
  }

  private refusal({ key, refusal }: ConnectionRequest, app: App | undefined, request: IncomingMessage) {
    if (refusal) return refusal;
    if (!app) return ProtocolError.unknownKey(key);
    if (!app.enabled) return ProtocolError.disabledApp();
    if (app.tlsOnly && !isEncrypted(request)) return ProtocolError.tlsOnly();
    if (!isOriginAllowed(app, request) || this.isForeign(app, request)) return ProtocolError.originNotAllowed();
    return this.overCapacity(request);
  }

  private overCapacity(request: IncomingMessage): ProtocolError | undefined {
    if (this.hub.connections.size >= this.settings.limits.connections) {
      this.metrics.limitReached('connections');
      return ProtocolError.overCapacity();
    }
    const network = this.budgets.network(this.addresses.of(request));
    if (network?.refusing('connections')) {
      this.metrics.limitReached('connectionsPerAddress');
      return ProtocolError.tooManyConnections();
    }
    if (!network?.take('newConnections')) return undefined;
    this.metrics.limitReached('newConnectionsPerAddress');
    return ProtocolError.tooManyNewConnections();
  }

  private isForeign({ id }: App, { headers }: IncomingMessage): boolean {
    return this.settings.localOnly.includes(id) && !isLocalRequest(headers);
  }
}

/** How much of a text of a client is kept for display; honest values are shorter. */
const keptCharacters = 300;

const shortened = (header: string): string =>
  header.length > keptCharacters ? ownText(header.slice(0, keptCharacters)) : header;
