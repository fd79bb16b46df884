import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as HttpsServer } from 'node:https';
import { offersWebSocket } from '../connections/websocket/handshake.js';

const hopByHop = new Set(['upgrade', 'connection', 'http2-settings']);

/**
 * Some HTTP clients offer HTTP/2 (`Upgrade: h2c`) with every request. A server may ignore the offer, but Node emits an
 * upgrade as soon as there is a listener for upgrades. This hands the request back to the server without the offer.
 */
function serveAsPlainRequest(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!hopByHop.has(rawHeaders[i]!.toLowerCase())) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  // Node decodes headers as latin1, so encoding them as latin1 restores their bytes.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit(server instanceof HttpsServer ? 'secureConnection' : 'connection', socket);
}

/**
 * Serves an upgrade request and answers true, or answers false to leave it to the server's other listeners.
 * `isLast`: no other listener exists, so a request that is refused here gets no other answer.
 */
export type ServeUpgrade = (request: IncomingMessage, socket: Socket, head: Buffer, isLast: boolean) => boolean;

/**
 * Asks `serve` before the server's own upgrade listeners run. Adding one more listener would not work: Nest's
 * WsAdapter and socket.io destroy the sockets of unknown paths, whatever the order of the listeners.
 */
export function interceptUpgrades(server: Server, serve: ServeUpgrade): void {
  const emit = server.emit.bind(server) as (event: string | symbol, ...args: unknown[]) => boolean;
  // Without a listener, Node treats an upgrade as an ordinary request.
  const listener = (): void => {};
  server.on('upgrade', listener);
  server.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event !== 'upgrade') return emit(event, ...args);
    const [request, socket, head] = args as [IncomingMessage, Socket, Buffer];
    const isLast = server.listeners('upgrade').every((each) => each === listener);
    if (isLast && !offersWebSocket(request.headers)) {
      serveAsPlainRequest(server, request, socket, head);
      return true;
    }
    return serve(request, socket, head, isLast) || emit(event, ...args);
  };
}
