import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { IncomingMessage, Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ownText, ThisNode } from 'rookery/common';
import type { App } from '../access/app.js';
import { Apps } from '../access/apps.js';
import { ChannelsSettings } from '../channels.options.js';
import { Connection, type ConnectionListener } from '../connections/connection.js';
import { enqueueWork } from '../connections/enqueue-work.js';
import { KeepAlive } from '../connections/keep-alive.js';
import { Session } from '../connections/session.js';
import { SocketAuthorizer } from '../connections/socket-authorizer.js';
import type { Transport } from '../connections/transport.js';
import { Hub } from '../hub/hub.js';
import { ActivityTap } from '../lifecycle/activity-tap.js';
import { ChannelsMetrics } from '../metrics.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { newSocketId } from '../protocol/socket-id.js';
import { changeApp } from './app-changes.js';
import { ChannelsGateway } from './channels.gateway.js';
import { type ConnectionRequest, isEncrypted, isOriginAllowed } from './connection-request.js';
import { MessageLoop } from './message-loop.js';

/** How often some of the clients are sent away while the server drains. */
const drainStepMs = 100;

/** How long clients have to answer the close when the server shuts down. */
const drainMs = 2000;

/** How long the ports have to take the last connections off their channels. */
const leaveMs = 5000;

/** Decides who may connect, opens their connections, whatever carries them, and ends them when the process stops. */
@Injectable()
export class ConnectionsService implements ConnectionListener, OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('Channels');
  private keepAlive: KeepAlive | undefined;
  private isShuttingDown = false;
  private isHandingOver = false;
  /** Connections that are over and not yet taken off everything. */
  private readonly leaving = new Set<Connection>();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly hub: Hub,
    private readonly apps: Apps,
    private readonly gateway: ChannelsGateway,
    private readonly loop: MessageLoop,
    private readonly metrics: ChannelsMetrics,
    private readonly node: ThisNode,
    private readonly authorizer: SocketAuthorizer,
    private readonly settings: ChannelsSettings,
    private readonly tap: ActivityTap,
  ) {}

  /** The HTTP server that clients connect to. A worker has none; its services work all the same. */
  get server(): Server | undefined {
    return this.settings.serveRoutes ? (this.host.httpAdapter?.getHttpServer() as Server | undefined) : undefined;
  }

  onModuleInit(): void {
    if (this.server) this.keepAlive = new KeepAlive(this.hub.connections, this.settings);
  }

  /**
   * Sends everybody away with 4200, "reconnect now", and waits a moment for them to go (channels-wire §1.5). Where other
   * processes can take them, not all at once; and they leave their channels a little later, when they have come back there:
   * nobody hears of it then.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.isShuttingDown = true;
    this.isHandingOver = this.node.others > 0;
    const connections = [...this.hub.connections];
    await this.sendAway(connections, this.isHandingOver ? this.settings.drainSeconds * 1000 : 0);
    await waitFor(() => connections.every(({ isDestroyed }) => isDestroyed), drainMs);
    await waitFor(() => this.leaving.size === 0, leaveMs + (this.isHandingOver ? this.settings.webhooks.holdMs : 0));
    if (this.leaving.size > 0)
      this.logger.warn(`${this.leaving.size} connections are still on their channels: a port does not answer`);
    this.keepAlive?.stop();
  }

  /** @returns the app that may be connected to, or why not */
  async check(asked: ConnectionRequest, request: IncomingMessage): Promise<App | ProtocolError> {
    try {
      const app = await this.apps.findByKey(asked.key);
      const refusal = this.refusal(asked, app, request);
      if (refusal && app) this.observeRefusal(app, refusal);
      return refusal ?? app!;
    } catch (error) {
      this.logger.error(`A connection could not be opened: ${String(error)}`);
      return ProtocolError.overCapacity();
    }
  }

  /** Counts and shows a connection that was not opened. */
  observeRefusal(app: App, { code, message }: ProtocolError): void {
    this.metrics.of(app.id).refusals += 1;
    this.tap.observer?.happened({ appId: app.id, kind: 'error', code, message });
  }

  /** Opens a connection of an app that was checked; what it says is to be reported to what this answers. */
  open(
    app: App,
    { protocol, key, session: id }: ConnectionRequest,
    transport: Transport,
    request: IncomingMessage,
  ): Connection {
    const { queuedBytes, subscriptions } = this.settings.limits;
    const isKnown = id !== undefined && app.history.length > 0;
    const session = isKnown ? new Session({ appId: app.id, key, id }, subscriptions) : undefined;
    const { writes } = this.hub;
    const connection = new Connection(app, newSocketId(), protocol, transport, queuedBytes, writes, this, session);
    if (this.authorizer.isOn) connection.request = request;
    connection.forwardedFor = nearest(String(request.headers['x-forwarded-for'] ?? '')) || undefined;
    connection.origin = request.headers.origin && shortened(request.headers.origin);
    this.hub.connections.add(connection);
    this.metrics.of(app.id).connections += 1;
    this.tap.observer?.happened({ appId: app.id, kind: 'connected', socketId: connection.socketId });
    enqueueWork(connection, () => this.gateway.handleConnection(connection));
    // It may have changed while the client was checked.
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
    this.metrics.of(connection.app.id).connections -= 1;
    this.keepAlive?.closed(connection);
    this.observeEnd(connection);
    this.leaving.add(connection);
    enqueueWork(connection, () => this.leave(connection));
  }

  onTooSlow({ socketId, app }: Connection): void {
    this.metrics.slowConnections.inc();
    this.metrics.of(app.id).slowCloses += 1;
    this.tap.observer?.happened({ appId: app.id, kind: 'slow_closed', socketId });
    this.logger.warn(`Connection ${socketId} of app ${app.id} reads too slowly and is closed with 4100`);
  }

  private observeEnd({ app, socketId, user, ending, subscriptions }: Connection): void {
    const { observer } = this.tap;
    if (!observer) return;
    const { code = null, reason = 'The connection broke off' } = ending ?? {};
    const told = { appId: app.id, kind: 'disconnected', socketId, userId: user?.id, code, message: reason } as const;
    observer.happened({ ...told, channels: [...(subscriptions?.keys() ?? [])] });
  }

  private refusal({ key, refusal }: ConnectionRequest, app: App | undefined, request: IncomingMessage) {
    if (this.isShuttingDown) return ProtocolError.shuttingDown();
    if (refusal) return refusal;
    if (!app) return ProtocolError.unknownKey(key);
    if (!app.enabled) return ProtocolError.disabledApp();
    if (app.tlsOnly && !isEncrypted(request)) return ProtocolError.tlsOnly();
    if (!isOriginAllowed(app, request)) return ProtocolError.originNotAllowed();
    if (this.hub.connections.size >= this.settings.limits.connections) return ProtocolError.overCapacity();
    return undefined;
  }

  private async sendAway(connections: readonly Connection[], overMs: number): Promise<void> {
    const steps = Math.max(1, Math.floor(overMs / drainStepMs));
    const each = Math.ceil(connections.length / steps);
    for (let at = 0; at < connections.length; at += each) {
      if (at > 0) await delay(drainStepMs);
      for (const connection of connections.slice(at, at + each)) connection.close(ProtocolError.shuttingDown());
    }
  }

  private async leave(connection: Connection): Promise<void> {
    try {
      if (this.isHandingOver) await delay(this.settings.webhooks.holdMs);
      await this.gateway.handleDisconnect(connection);
    } finally {
      this.leaving.delete(connection);
    }
  }
}

/** Of headers that are kept for people to see; the longest that are honest are shorter. */
const keptCharacters = 300;

/** The end of a header, where the nearest proxy writes. */
const nearest = (header: string): string =>
  header.length > keptCharacters ? ownText(header.slice(-keptCharacters)) : header;

const shortened = (header: string): string =>
  header.length > keptCharacters ? ownText(header.slice(0, keptCharacters)) : header;

async function waitFor(condition: () => boolean, mostMs: number): Promise<void> {
  const until = performance.now() + mostMs;
  while (!condition() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
}
