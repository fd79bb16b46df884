import { Server as HttpServer } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { type ForeignConnections, HttpPort } from 'rookery/internal/http';
import { FastPathSocket, type FastPathSocketOwner } from './fast-path-socket.js';
import type { FastPathRoutes } from './fast-path-routes.js';

/** How often the timeouts of the connections are checked, in milliseconds. */
const sweepMs = 1000;
/** A connection that has sent nothing for this long is handed over to Node and its timeouts. */
const freshMs = 5000;
/** A connection that has sent nothing for this long is closed. */
const silentMs = 10_000;
/** How long a connection accepted just before the port was closed has to send its first request. */
const firstRequestMs = 1000;

/** The connections of an HTTP server that we read, with Node's timeouts and closing for them. */
export class FastPathSockets implements FastPathSocketOwner, ForeignConnections {
  /** The time of the latest sweep, in milliseconds of `performance.now()`. */
  now = performance.now();
  private readonly open = new Set<FastPathSocket>();
  /** Connections passed on because they sent nothing, with the bytes read until then: the TLS handshake has some. */
  private readonly silent = new Map<Socket, { readonly bytes: number; readonly since: number }>();
  private areKept = true;
  /** Returns a connection to those that read it before. */
  readonly passOn: (socket: Socket) => void;
  readonly heard: (socket: Socket) => void;

  private constructor(
    private readonly server: HttpServer,
    readonly routes: FastPathRoutes,
  ) {
    const port = HttpPort.of(server);
    this.heard = (socket) => port.heard(socket);
    this.passOn = port.readConnections((socket) => void this.open.add(new FastPathSocket(socket, this)));
    port.closeWith(this);
    port.onceClosing(() => setTimeout(() => this.afterReading(), firstRequestMs).unref());
    const sweep = setInterval(() => this.sweep(), sweepMs).unref();
    server.once('close', () => clearInterval(sweep));
  }

  /** Takes over the connections of a server, unless it is not Node's HTTP/1 server. */
  static install(server: unknown, routes: FastPathRoutes): FastPathSockets | undefined {
    return server instanceof HttpServer || server instanceof HttpsServer
      ? new FastPathSockets(server, routes)
      : undefined;
  }

  /** How long an idle connection is kept: 0 for unlimited, undefined for closing it. */
  get keepAliveMs(): number | undefined {
    return this.areKept && this.server.listening ? this.server.keepAliveTimeout : undefined;
  }

  /** From now on, every answer closes its connection. */
  closeAfterAnswers(): void {
    this.areKept = false;
  }

  /** Lets the platform answer a connection's error, or answers it as Node does. */
  fail(socket: Socket, error: Error & { readonly code: string }): void {
    if (this.server.emit('clientError', error, socket)) return;
    const status = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? '408 Request Timeout' : '400 Bad Request';
    socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    socket.destroySoon();
  }

  forget(socket: FastPathSocket): void {
    this.open.delete(socket);
  }

  closeIdle(): void {
    for (const socket of this.open) if (socket.isIdle && !socket.isFresh) socket.destroy();
  }

  closeAll(): void {
    for (const socket of this.open) socket.destroy();
  }

  /** In a process that was starved, requests may be unread when the timer fires. */
  private afterReading(): void {
    setImmediate(() => this.closeSilent());
  }

  /** Node does not treat a connection that has sent nothing as idle. */
  private closeSilent(): void {
    for (const socket of this.open) if (socket.isFresh) socket.destroy();
    for (const [socket, { bytes }] of this.silent) if (socket.bytesRead === bytes) socket.destroy();
  }

  private closeLongSilent(): void {
    for (const [socket, { bytes, since }] of this.silent)
      if (socket.bytesRead !== bytes) this.silent.delete(socket);
      else if (this.now - since > silentMs) socket.destroy();
  }

  private sweep(): void {
    this.now = performance.now();
    for (const socket of this.open) this.checkTimeouts(socket, this.now - socket.since);
    this.closeLongSilent();
  }

  private passOnSilent(fresh: FastPathSocket): void {
    const socket = fresh.passToNode();
    this.silent.set(socket, { bytes: socket.bytesRead, since: fresh.since });
    socket.once('close', () => this.silent.delete(socket));
  }

  private checkTimeouts(socket: FastPathSocket, waitedMs: number): void {
    const { keepAliveTimeout, requestTimeout } = this.server;
    if (socket.isFresh) {
      if (waitedMs > freshMs) this.passOnSilent(socket);
    } else if (socket.isIdle) {
      if (keepAliveTimeout > 0 && waitedMs > keepAliveTimeout) socket.destroy();
    } else if (socket.isIncomplete) {
      if (requestTimeout > 0 && waitedMs > requestTimeout) socket.fail('Request timeout', 'ERR_HTTP_REQUEST_TIMEOUT');
    }
  }
}
