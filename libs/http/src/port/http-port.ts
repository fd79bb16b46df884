import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { followHandshakes } from './handshakes.js';
import { afterAnswer, serveAsPlainRequest } from './http2-offer.js';

type OnSocket = (socket: Socket) => void;

/** Takes a request and answers true, or answers false to leave it to the platform. */
export type ServeRequest = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Serves an upgrade request and answers true, or answers false to leave it to the server's other listeners.
 * `isLast`: no other listener exists, so a request that is refused here gets no other answer.
 */
export interface UpgradeServer {
  /** Whether the client offers the protocol that is served: an offer of any other protocol is an ordinary request. */
  wants(request: IncomingMessage): boolean;
  serve(request: IncomingMessage, socket: Socket, head: Buffer, isLast: boolean): boolean;
}

/** Closes connections that Node does not know. */
export interface ForeignConnections {
  closeIdle(): void;
  closeAll(): void;
}

const ports = new WeakMap<Server, HttpPort>();

/**
 * The owner of an HTTP server: no other file replaces its methods or listeners. In their order,
 * - a socket is {@link onceAccepted accepted}; a TLS server begins the handshake;
 * - a connection is counted and prepared ({@link prepareSockets}), then read ({@link readConnections}), else by Node;
 * - a request goes to {@link serveRequests}, else to the platform;
 * - an upgrade goes to {@link serveUpgrades}, else to the server's other listeners;
 * - at a close, connections close that Node does not know ({@link closeWith}), then Node's own.
 */
export class HttpPort {
  /**
   * The number of open sockets. `server.getConnections()` omits those that another listener has accepted and passed on
   * with `server.emit('connection', socket)`.
   */
  open = 0;
  private readonly connection: 'connection' | 'secureConnection';
  /** Whether sockets begin with a TLS handshake. */
  readonly isSecure: boolean;
  /** Called for each socket, read by this port or by Node. */
  private readonly onSocket: OnSocket[] = [];
  private readonly requests: ServeRequest[] = [];
  private upgrades: UpgradeServer | undefined;
  /** What to call once a socket has sent the head of a request, or is closed. */
  private readonly silent = new WeakMap<Socket, () => void>();
  /** The latest answer on each connection; those written may be collected, with their requests. */
  private readonly answers = new WeakMap<Socket, WeakRef<ServerResponse>>();
  private readonly foreign: ForeignConnections[] = [];
  private readonly closing: (() => void)[] = [];
  private isIntercepted = false;
  private isClosedByUs = false;

  static of(server: Server): HttpPort {
    let port = ports.get(server);
    if (!port) ports.set(server, (port = new HttpPort(server)));
    return port;
  }

  private constructor(readonly server: Server) {
    this.isSecure = server instanceof HttpsServer;
    this.connection = this.isSecure ? 'secureConnection' : 'connection';
    // One function for all sockets, to save memory.
    const gone = (socket: Socket): void => {
      this.open -= 1;
      this.heard(socket);
    };
    function closed(this: Socket): void {
      gone(this);
    }
    if (server instanceof HttpsServer) followHandshakes(server, (accepted, secure) => this.secured(accepted, secure));
    this.prepareSockets((socket) => {
      this.open += 1;
      socket.once('close', closed);
    });
  }

  /** Calls back for each socket, before it is read. */
  prepareSockets(prepare: OnSocket): void {
    this.onSocket.push(prepare);
    this.server.prependListener(this.connection, prepare);
  }

  /** Calls back for each socket before anything else happens to it: with TLS, before its handshake. */
  onceAccepted(accept: OnSocket): void {
    if (!this.isSecure) return this.prepareSockets(accept);
    this.server.prependListener('connection', accept);
  }

  /** Calls back once the head of the socket's first request has been read, or the socket is closed. */
  whileSilent(socket: Socket, over: () => void): void {
    this.silent.set(socket, over);
    this.intercept();
  }

  /** For those that {@link readConnections}: the head of a request has been read. */
  heard(socket: Socket): void {
    const over = this.silent.get(socket);
    if (!over) return;
    this.silent.delete(socket);
    over();
  }

  /**
   * Reads connections in Node's place.
   * @returns passes a connection on to those that read it before
   */
  readConnections(read: OnSocket): OnSocket {
    const { server, connection } = this;
    const others = (server.listeners(connection) as OnSocket[]).filter((each) => !this.onSocket.includes(each));
    for (const other of others) server.off(connection, other);
    server.on(connection, read);
    return (socket) => {
      for (const other of others) other.call(server, socket);
    };
  }

  /** The host's prefix, body parsers and hooks do not apply to these requests, just as they do not to WebSockets. */
  serveRequests(serve: ServeRequest): void {
    this.requests.push(serve);
    this.intercept();
  }

  /**
   * Asks before the server's own upgrade listeners run. Adding one more listener would not work: Nest's WsAdapter and
   * socket.io destroy the sockets of unknown paths, whatever the order of the listeners.
   */
  serveUpgrades(upgrades: UpgradeServer): void {
    this.upgrades = upgrades;
    // Without a listener, Node treats an upgrade as an ordinary request.
    this.server.on('upgrade', ignore);
    this.intercept();
  }

  /** @param connections closed by `server.close()` and the platforms, whose methods know only Node's own */
  closeWith(connections: ForeignConnections): void {
    this.foreign.push(connections);
    this.interceptClosing();
  }

  /** Calls back once the server closes: `server.close()` emits no event when it begins. */
  onceClosing(callback: () => void): void {
    this.closing.push(callback);
    this.interceptClosing();
  }

  /** Has up to `length` connections wait until the server accepts them; Fastify passes a backlog only with a port. */
  queue(length: number): void {
    const listen = this.server.listen.bind(this.server);
    // Fastify calls it with nothing else.
    this.server.listen = ((where: object) => listen(where, length)) as Server['listen'];
  }

  /** What waits for a request waits for one on the secure socket; without one, the client has gone. */
  private secured(accepted: Socket, secure: Socket | undefined): void {
    if (!secure) return this.heard(accepted);
    const over = this.silent.get(accepted);
    if (!over) return;
    this.silent.delete(accepted);
    this.silent.set(secure, over);
  }

  private intercept(): void {
    if (this.isIntercepted) return;
    this.isIntercepted = true;
    const { server } = this;
    const emit = server.emit.bind(server) as (event: string | symbol, ...args: unknown[]) => boolean;
    server.emit = (event: string | symbol, ...args: unknown[]): boolean => {
      const isOurs =
        event === 'request'
          ? this.serveRequest(...(args as [IncomingMessage, ServerResponse]))
          : event === 'upgrade' && this.serveUpgrade(...(args as [IncomingMessage, Socket, Buffer]));
      return isOurs || emit(event, ...args);
    };
  }

  private serveRequest(request: IncomingMessage, response: ServerResponse): boolean {
    this.heard(request.socket);
    if (this.upgrades) this.answers.set(request.socket, new WeakRef(response));
    return this.requests.some((serve) => serve(request, response));
  }

  private serveUpgrade(request: IncomingMessage, socket: Socket, head: Buffer): boolean {
    this.heard(socket);
    const { server, upgrades } = this;
    if (!upgrades) return false;
    const isLast = server.listeners('upgrade').every((each) => each === ignore);
    if (!isLast || upgrades.wants(request)) return upgrades.serve(request, socket, head, isLast);
    afterAnswer(this.answers.get(socket)?.deref(), socket, () => serveAsPlainRequest(server, request, socket, head));
    return true;
  }

  private interceptClosing(): void {
    if (this.isClosedByUs) return;
    this.isClosedByUs = true;
    const { server, foreign } = this;
    const closeIdle = server.closeIdleConnections.bind(server);
    const closeAll = server.closeAllConnections.bind(server);
    server.closeIdleConnections = () => {
      // Only after reading: a request that has arrived on an idle connection would be reset.
      setImmediate(() => {
        for (const connections of foreign) connections.closeIdle();
        closeIdle();
      });
      if (!server.listening) for (const callback of this.closing.splice(0)) callback();
    };
    server.closeAllConnections = () => {
      for (const connections of foreign) connections.closeAll();
      closeAll();
    };
  }
}

const ignore = (): void => {};
