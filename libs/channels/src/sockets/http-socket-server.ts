import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ThisNode } from '#common';
import { BodyTooLarge } from '#http';
import type { App } from '../app/app.js';
import { Apps } from '../access/apps.js';
import { NodeRpc } from '../broker/node-rpc.js';
import { ChannelsSettings } from '../channels.options.js';
import { Budgets } from '../connections/budgets.js';
import { HttpAnswer } from '../connections/http/answer.js';
import { closed } from '../connections/http/http-encoding.js';
import { RemoteAnswer } from '../connections/http/remote-answer.js';
import { HttpTransport } from '../connections/http/http.transport.js';
import { ChannelsMetrics } from '../metrics.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { ClientAddresses } from '../access/client-addresses.js';
import { ClientShutdown } from './client-shutdown.js';
import { ConnectionsService } from './connections.service.js';
import { ConnectionOwners } from './connection-owners.js';
import { RemoteConnection, type RemoteReply, type RemoteRequest, remoteRequests } from './remote-connection.js';
import { answerPreflight, maxTexts, readTexts, refuse, reply } from './http-replies.js';
import { HttpServers } from './http-servers.js';
import { HttpOpeners } from './http-openers.js';
import { type HttpRequest, httpRequest } from './http-request.js';

const heartbeatMs = 25_000;
const longestRoundMs = 1000;
const shortestRoundMs = 50;

/**
 * Serves connections over plain HTTP requests, below `/pusher/app/<key>`, for clients whose network breaks WebSockets
 * (channels-wire §11). Requests for those of other processes go to their {@link ConnectionOwners}.
 */
@Injectable()
export class HttpSocketServer implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('Channels');
  private readonly transports = new Map<string, HttpTransport>();
  /** Requests of other processes that wait here for an answer, by request id. */
  private readonly remoteAnswers = new Map<string, RemoteAnswer>();
  /** Requests that wait here for a connection of another process. */
  private readonly following = new Map<HttpAnswer, RemoteConnection>();
  private readonly openers: HttpOpeners;
  private rounds: NodeJS.Timeout | undefined;

  constructor(
    private readonly connections: ConnectionsService,
    private readonly servers: HttpServers,
    private readonly apps: Apps,
    private readonly owners: ConnectionOwners,
    private readonly rpc: NodeRpc,
    private readonly node: ThisNode,
    private readonly shutdown: ClientShutdown,
    private readonly settings: ChannelsSettings,
    private readonly metrics: ChannelsMetrics,
    private readonly addresses: ClientAddresses,
    budgets: Budgets,
  ) {
    this.openers = new HttpOpeners(addresses, budgets);
  }

  onModuleInit(): void {
    if (!this.servers.own) return;
    this.servers.each((port) => port.serveRequests((request, response) => this.serve(request, response)));
    this.rpc.on(remoteRequests, (request) => this.serveRemote(request));
    this.rounds = setInterval(() => this.round(), this.roundMs).unref();
  }

  /**
   * Ends the requests for connections of other processes, so that clients repeat them; ConnectionsService closes ours.
   */
  beforeApplicationShutdown(): void {
    const { code, message } = ProtocolError.shuttingDown();
    for (const [answer, connection] of this.following) {
      connection.left(answer);
      answer.end(closed(code ?? 1000, message));
    }
    clearInterval(this.rounds);
  }

  /** Requests that other processes forwarded may have been lost: the clients have to reconnect. */
  lost(): void {
    for (const transport of this.transports.values()) transport.lost();
  }

  private serve(request: IncomingMessage, response: ServerResponse): boolean {
    const { method } = request;
    if (method !== 'POST' && method !== 'OPTIONS') return false;
    const asked = httpRequest(request.url ?? '', this.settings.path, this.settings.strictProtocol);
    if (!asked) return false;
    // The client may disconnect at any time.
    response.on('error', () => {});
    if (method === 'OPTIONS') answerPreflight(response);
    else
      (asked.purpose === 'send' ? this.send(asked, request, response) : this.receive(asked, request, response)).catch(
        (error: unknown) => this.fail(error, response),
      );
    return true;
  }

  private async receive(http: HttpRequest, request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The body is empty, but unread bytes would precede the next request on this TCP connection.
    request.resume();
    const connection = this.transports.get(nameOf(http)) ?? (await this.open(http, request));
    // A proxy sends the next requests to another process; 4200 would bring the client back here at once.
    if (connection instanceof ProtocolError && this.shutdown.movesClients) return reply(response, 503, 'Stopping');
    if (connection instanceof ProtocolError) return refuse(response, connection, http.asked.protocol);
    if (response.destroyed) return connection.aborted();
    const answer = new HttpAnswer(response, http.purpose === 'stream');
    if (connection instanceof RemoteConnection) this.following.set(answer, connection);
    response.on('close', () => {
      this.following.delete(answer);
      connection.left(answer);
    });
    connection.receive(answer, http.mark);
  }

  private async open(
    http: HttpRequest,
    request: IncomingMessage,
  ): Promise<HttpTransport | RemoteConnection | ProtocolError> {
    const name = nameOf(http);
    const app = await this.connections.check(http.asked, request);
    if (app instanceof ProtocolError) return app;
    const close = this.openers.open(request);
    if (!close) return this.tooMany(app, http, request);
    try {
      await this.rpc.ready();
      const owner = await this.owners.claim(app.id, name);
      if (owner === undefined) throw new Error('The connection is being closed');
      const opened = owner === this.node.id ? this.transports.get(name) : new RemoteConnection(this.rpc, owner, name);
      if (!opened) return this.opened(app, name, http, request, close);
      close();
      return opened;
    } catch (error) {
      close();
      throw error;
    }
  }

  private tooMany(app: App, { asked }: HttpRequest, request: IncomingMessage): ProtocolError {
    const refusal = ProtocolError.tooManyConnections();
    this.metrics.limitReached('httpConnectionsPerAddress');
    this.connections.observeRefusal(app, refusal, asked, request);
    return refusal;
  }

  private opened(
    app: App,
    name: string,
    { asked }: HttpRequest,
    request: IncomingMessage,
    close: () => void,
  ): HttpTransport {
    const peerAddress = request.socket.remoteAddress ?? '';
    const transport = new HttpTransport(peerAddress, this.settings.limits.messageBytes, this.patience, () => {
      close();
      this.transports.delete(name);
      this.owners.release(app.id, name);
    });
    this.transports.set(name, transport);
    const connection = this.connections.open(app, asked, transport, request);
    connection.httpName = name;
    transport.attach(connection);
    return transport;
  }

  private async send(http: HttpRequest, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = this.transports.get(nameOf(http)) ?? (await this.elsewhere(http));
    await connection?.readable();
    const texts = await readTexts(request, response, {
      limit: this.settings.limits.requestBytes,
      inputAddress: this.addresses.of(request),
      checkHead: () => {
        if (!connection) throw new Error('There is no such connection');
      },
    });
    if (!connection) return reply(response, 404, 'There is no such connection');
    if (!texts) return reply(response, 400, `A JSON array of at most ${maxTexts} texts is expected`);
    // Other requests may have sent texts meanwhile.
    await connection.readable();
    if (texts instanceof BodyTooLarge) await connection.saidTooMuch();
    else await connection.said(texts, http.mark);
    if (texts instanceof BodyTooLarge) reply(response, 413, texts.message);
    else reply(response, 204);
  }

  private async elsewhere(http: HttpRequest): Promise<RemoteConnection | undefined> {
    const app = await this.apps.findByKey(http.asked.key);
    const name = nameOf(http);
    const owner = app && (await this.owners.find(app.id, name));
    return owner === undefined || owner === this.node.id ? undefined : new RemoteConnection(this.rpc, owner, name);
  }

  /** Serves a client's request that another process forwarded. */
  private async serveRemote(request: RemoteRequest): Promise<RemoteReply | undefined> {
    const transport = this.transports.get(request.name);
    if (!transport) return { text: '', isLast: true };
    switch (request.purpose) {
      case 'receive':
        return this.receiveRemote(transport, request);
      case 'leave': {
        const answer = this.remoteAnswers.get(request.id);
        this.remoteAnswers.delete(request.id);
        if (answer) transport.left(answer);
        else transport.aborted();
        return undefined;
      }
      case 'send':
        await transport.readable();
        if (request.texts) transport.said(request.texts, request.mark);
        else transport.saidTooMuch();
        return { text: '', isLast: false };
      default:
        return request satisfies never;
    }
  }

  private receiveRemote(
    transport: HttpTransport,
    { id, mark }: { readonly id: string; readonly mark?: string },
  ): Promise<RemoteReply> {
    return new Promise((resolve) => {
      const reply = (bytes: Buffer | undefined, isLast: boolean): void =>
        resolve({ text: bytes?.toString('latin1') ?? '', isLast });
      const answer = new RemoteAnswer(reply, (ended) => {
        this.remoteAnswers.delete(id);
        transport.left(ended);
      });
      this.remoteAnswers.set(id, answer);
      transport.receive(answer, mark);
    });
  }

  private fail(error: unknown, response: ServerResponse): void {
    this.logger.warn(`A request of a connection over HTTP failed: ${String(error)}`);
    if (response.headersSent) response.destroy();
    else reply(response, 503, 'Try again');
  }

  private round(): void {
    for (const transport of this.transports.values()) transport.round();
  }

  private get roundMs(): number {
    const shortest = (this.settings.pongTimeoutSeconds * 1000) / 4;
    return Math.min(Math.max(shortest, shortestRoundMs), longestRoundMs);
  }

  private get patience() {
    const { roundMs } = this;
    return {
      heartbeatRounds: Math.ceil(heartbeatMs / roundMs),
      goneRounds: Math.ceil((this.settings.pongTimeoutSeconds * 1000) / roundMs),
    };
  }
}

/** Unique for each connection: a key contains no slash. */
const nameOf = ({ asked, id }: HttpRequest): string => `${asked.key}/${id}`;
