import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { offersWebSocket } from '../connections/websocket/handshake.js';
import { serveAsPlainRequest } from './plain-request.js';

/**
 * Serves an upgrade request and answers true, or answers false to leave it to the server's other listeners.
 * `isLast`: there is no other listener, so nobody else will answer.
 */
export type ServeUpgrade = (request: IncomingMessage, socket: Socket, head: Buffer, isLast: boolean) => boolean;

/**
 * Asks `serve` before the server's own upgrade listeners. A listener of ours among theirs would not do: Nest's own
 * WsAdapter and socket.io end the sockets of paths that they do not know, in whatever order they were added.
 */
export function interceptUpgrades(server: Server, serve: ServeUpgrade): void {
  const emit = server.emit.bind(server) as (event: string | symbol, ...args: unknown[]) => boolean;
  // Without a listener, Node would take an upgrade for an ordinary request.
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
