import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { settledIn, ThisNode, Unavailable } from '#common';
import type { HttpPort } from '#http';
import { SignedRequests } from '../access/signed-request.js';
import { NodeRpc, nodeSubject } from '../broker/node-rpc.js';
import { ChannelsSettings } from '../channels.options.js';
import type { Connection } from '../connections/connection.js';
import { Hub } from '../hub/hub.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';
import { ChannelsGateway } from './channels.gateway.js';
import { FinalClose } from './final-close.js';
import { HttpServers } from './http-servers.js';
import { waitFor } from './wait-for.js';

/** The interval at which groups of clients are closed while the server drains. */
const drainStepMs = 100;

/** How long the shutdown waits for the number of other processes. */
const recountMs = 1000;

/** How long a process that is not ready any more keeps its clients, so that health checks of proxies notice. */
const maxNoticeMs = 1000;

/** How long clients have to answer the close at shutdown. */
const answerMs = 2000;

/** How long the ports have to remove the last connections from their channels. */
const leaveMs = 5000;

/** How long events on their way here may delay the close of their receivers. */
const arrivalMs = 1000;

/** How long processes that stop together wait for each other. */
const togetherMs = 2000;

/** A process asks itself, through the broker: earlier messages arrive before. */
const arrived = nodeSubject<null>('connections.arrived');

/**
 * Takes all clients off their channels at shutdown, once they were sent what was accepted before. If other processes can
 * take them, they are closed with 4200, "reconnect now" (channels-wire §1.5), spread over `drainSeconds`, and leave their
 * channels a little later: a client that has reconnected by then is not announced as gone. Events are taken until the
 * port is closed, because the others deliver them. Otherwise, {@link FinalClose} closes the clients after the port.
 */
@Injectable()
export class ClientShutdown implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger('Channels');
  private readonly ports: HttpPort[] = [];
  /** Closed connections that are still being removed from channels and repositories. */
  private readonly leaving = new Set<Connection>();
  private phase: 'serving' | 'beginning' | 'draining' | 'closing' = 'serving';
  /** Whether other processes can take the clients is known. */
  private counted: Promise<void> | undefined;
  private finalClose: FinalClose | undefined;
  private takenOff: Promise<readonly Connection[]> | undefined;

  constructor(
    private readonly servers: HttpServers,
    private readonly hub: Hub,
    private readonly gateway: ChannelsGateway,
    private readonly requests: SignedRequests,
    private readonly webhooks: WebhooksService,
    private readonly rpc: NodeRpc,
    private readonly node: ThisNode,
    private readonly settings: ChannelsSettings,
  ) {}

  onModuleInit(): void {
    this.servers.each((port) => this.ports.push(port));
    this.rpc.on(arrived, () => undefined);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.phase = 'beginning';
    this.counted = Promise.race([this.node.recount(), delay(recountMs, undefined, { ref: false })]);
    await this.counted;
    if (this.node.others > 0) await this.drain();
    else this.closeLast();
    // Nest closes only the application's own port; clients of others leave while the host's database is open.
    if (this.finalClose && !this.closesWithOwnPort) await this.takeOff();
    await this.left();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.finalClose?.now();
  }

  /** Whether no other process can take the clients, which are closed last. */
  get closesLast(): boolean {
    return this.finalClose !== undefined;
  }

  /** Whether clients may connect. */
  get isServing(): boolean {
    return this.phase === 'serving';
  }

  /** Whether others take the clients: a proxy may try the next one for a client that connects. */
  get movesClients(): boolean {
    return this.phase === 'draining';
  }

  /** Why a client that connects now is refused. It may have to wait for that. */
  async refusal(): Promise<ProtocolError> {
    await this.counted;
    return this.finalClose?.hold() ?? ProtocolError.shuttingDown();
  }

  /** Begins to remove a closed connection. @returns its work */
  leave(connection: Connection): () => Promise<void> {
    this.leaving.add(connection);
    return () => this.remove(connection);
  }

  private closeLast(): void {
    this.phase = 'closing';
    if (this.ports.length > 0) this.finalClose = new FinalClose(this.ports, this.hub.connections, () => this.takeOff());
  }

  /** Whether clients can stay until the application's own port is closed. */
  private get closesWithOwnPort(): boolean {
    return this.ports.every(({ server }) => server.listening === (server === this.servers.own));
  }

  private async drain(): Promise<void> {
    this.phase = 'draining';
    const drainMs = this.settings.drainSeconds * 1000;
    const noticeMs = Math.min(maxNoticeMs, drainMs / 2);
    if (this.hub.connections.size > 0) await delay(noticeMs);
    const connections = [...this.hub.connections];
    const steps = Math.max(1, Math.floor((drainMs - noticeMs) / drainStepMs));
    const each = Math.ceil(connections.length / steps);
    for (let at = 0; at < connections.length; at += each) {
      if (at > 0) await delay(drainStepMs);
      await this.arrived();
      for (const connection of connections.slice(at, at + each)) connection.close(ProtocolError.shuttingDown());
    }
    await waitFor(() => connections.every(({ isDestroyed }) => isDestroyed), answerMs);
  }

  /** Takes no more events, and then the clients off their channels, with the webhooks that this causes. */
  private takeOff(): Promise<readonly Connection[]> {
    return (this.takenOff ??= this.detachAll());
  }

  private async detachAll(): Promise<readonly Connection[]> {
    this.requests.close();
    // A process that cannot be asked is gone.
    await settledIn(this.node.stoppedTaking(), togetherMs).catch(() => false);
    await this.arrived();
    const connections = [...this.hub.connections];
    for (const connection of connections) connection.detach(ProtocolError.restarting());
    await this.left();
    await settledIn(this.webhooks.settled(), arrivalMs);
    return connections;
  }

  /** Resolves when the messages that the broker has accepted until now have arrived here, and are written. */
  private async arrived(): Promise<void> {
    try {
      await this.rpc.ask(this.node.id, arrived, null, arrivalMs);
    } catch (error) {
      // The outage is already logged.
      if (!(error instanceof Unavailable)) throw error;
    }
    await new Promise<void>((resolve) => this.hub.writes.whenWritten(resolve));
  }

  private async left(): Promise<void> {
    await waitFor(() => this.leaving.size === 0, leaveMs + this.holdMs);
    if (this.leaving.size > 0)
      this.logger.warn(`${this.leaving.size} connections are still on their channels because a port does not answer`);
  }

  private async remove(connection: Connection): Promise<void> {
    try {
      if (this.holdMs > 0) await delay(this.holdMs);
      await this.gateway.handleDisconnect(connection);
    } finally {
      this.leaving.delete(connection);
    }
  }

  private get holdMs(): number {
    return this.phase === 'draining' ? this.settings.webhooks.holdMs : 0;
  }
}
