import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ThisNode } from 'rookery/common';
import type { App } from '../access/app.js';
import { Apps } from '../access/apps.js';
import { ChannelsSettings } from '../channels.options.js';
import { Hub } from '../hub/hub.js';
import { ChannelsMetrics } from '../metrics.js';
import * as frames from '../protocol/frames.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { newSocketId } from '../protocol/socket-id.js';
import { KeepAlive } from '../connections/keep-alive.js';
import { ChannelsGateway } from './channels.gateway.js';
import { Session } from '../connections/session.js';
import { Connection, type ConnectionListener } from '../connections/connection.js';
import { inTurn } from '../connections/in-turn.js';
import { SocketAuthorizer } from '../connections/socket-authorizer.js';
import { type ConnectionRequest, connectionRequest, isEncrypted, isOriginAllowed } from './connection-request.js';
import { hangUp } from '../connections/websocket/hang-up.js';
import { MessageLoop } from './message-loop.js';
import { interceptUpgrades } from './upgrades.js';
import { closeFrame, textFrame } from '../connections/websocket/frame-encoder.js';
import { acceptHandshake, badHandshake } from '../connections/websocket/handshake.js';
import { WebSocketTransport } from '../connections/websocket/websocket.transport.js';

/** How often some of the clients are sent away while the server drains. */
const drainStepMs = 100;

/** How long clients have to answer the close when the server shuts down. */
const drainMs = 2000;

/** How long the ports have to take the last connections off their channels. */
const leaveMs = 5000;

/**
 * Serves `/app/<key>` on the application's HTTP server and leaves every other path to the host: its own `ws` or
 * socket.io gateway works on the same port, whichever adapter it uses.
 */
@Injectable()
export class SocketServer implements ConnectionListener, OnModuleInit, BeforeApplicationShutdown {
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
  ) {}

  onModuleInit(): void {
    // A worker without an HTTP server has no sockets; its services work all the same.
    const server = this.host.httpAdapter?.getHttpServer() as Server | undefined;
    if (!server || !this.settings.serveRoutes) return;
    this.keepAlive = new KeepAlive(this.hub.connections, this.settings);
    interceptUpgrades(server, (request, socket, head, isLast) => this.serve(request, socket, head, isLast));
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

  onText(connection: Connection, text: string): void {
    this.loop.take(connection, text);
  }

  onClosed(connection: Connection): void {
    this.hub.connections.delete(connection);
    this.metrics.connections.set(this.hub.connections.size);
    this.keepAlive?.closed(connection);
    this.leaving.add(connection);
    inTurn(connection, () => this.leave(connection));
  }

  onTooSlow({ socketId, app }: Connection): void {
    this.metrics.slowConnections.inc();
    this.logger.warn(`Connection ${socketId} of app ${app.id} reads too slowly and is closed with 4100`);
  }

  /** @returns whether the request is ours; the last one who is asked answers paths that nobody serves, with 4005 */
  private serve(request: IncomingMessage, socket: Socket, head: Buffer, isLast: boolean): boolean {
    const { path, strictProtocol } = this.settings;
    const asked = connectionRequest(request.url ?? '', path, strictProtocol);
    if (!asked && !isLast) return false;
    socket.on('error', () => socket.destroy());
    const handshake = acceptHandshake(request);
    if (handshake === undefined) hangUp(socket, badHandshake);
    else if (!asked) this.turnAway(socket, handshake, ProtocolError.pathNotFound(), 7);
    else void this.connect(request, asked, socket, head, handshake);
    return true;
  }

  private async connect(
    request: IncomingMessage,
    asked: ConnectionRequest,
    socket: Socket,
    head: Buffer,
    handshake: string,
  ): Promise<void> {
    try {
      const app = await this.apps.findByKey(asked.key);
      const refusal = this.refusal(asked, app, request);
      if (refusal) return this.turnAway(socket, handshake, refusal, asked.protocol);
      if (socket.destroyed) return;
      socket.write(handshake);
      this.open(app!, asked, socket, head, request);
    } catch (error) {
      this.logger.error(`A connection could not be opened: ${String(error)}`);
      this.turnAway(socket, handshake, ProtocolError.overCapacity(), asked.protocol);
    }
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

  private open(
    app: App,
    { protocol, key, session: id }: ConnectionRequest,
    socket: Socket,
    head: Buffer,
    request: IncomingMessage,
  ): void {
    const { limits } = this.settings;
    const transport = new WebSocketTransport(socket, limits.messageBytes);
    const { writes } = this.hub;
    const isKnown = id !== undefined && app.history.length > 0;
    const session = isKnown ? new Session({ appId: app.id, key, id }) : undefined;
    const connection = new Connection(
      app,
      newSocketId(),
      protocol,
      transport,
      limits.queuedBytes,
      writes,
      this,
      session,
    );
    if (this.authorizer.isOn) connection.request = request;
    this.hub.connections.add(connection);
    this.metrics.connections.set(this.hub.connections.size);
    inTurn(connection, () => this.gateway.handleConnection(connection));
    transport.attach(connection, head);
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

  // A refusal is said on an open WebSocket, never by an HTTP error (§1.5).
  private turnAway(socket: Socket, handshake: string, error: ProtocolError, protocol: number): void {
    const told = protocol < 6 ? [textFrame(frames.error(error))] : [];
    hangUp(socket, Buffer.concat([Buffer.from(handshake), ...told, closeFrame(error.code ?? 1000, error.message)]));
  }
}

async function waitFor(condition: () => boolean, mostMs: number): Promise<void> {
  const until = performance.now() + mostMs;
  while (!condition() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
}
