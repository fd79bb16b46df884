import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { offersWebSocket } from '../connections/websocket/handshake.js';

const hopByHop = new Set(['upgrade', 'connection', 'http2-settings']);

/** Node's own listener for connections, which reads their requests. It is the same for all servers. */
const readRequests = createServer().listeners('connection')[0] as (this: Server, socket: Socket) => void;

/**
 * Some HTTP clients offer HTTP/2 (`Upgrade: h2c`) with every request. A server may ignore the offer, but Node emits an
 * upgrade as soon as there is a listener for upgrades. This hands the request back to Node without the offer. Other
 * listeners of the server know the connection already.
 */
function serveAsPlainRequest(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  if (socket.destroyed) return;
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!hopByHop.has(rawHeaders[i]!.toLowerCase())) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  // Node decodes headers as latin1, so encoding them as latin1 restores their bytes.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  // The answer before has set the time until the next request.
  socket.setTimeout(0);
  readRequests.call(server, socket);
}

/** Calls back once an earlier answer of the connection is written: otherwise the next one would never be. */
function afterAnswer(answer: ServerResponse | undefined, socket: Socket, work: () => void): void {
  if (!answer || answer.closed) return work();
  const onError = (): void => void socket.destroy();
  socket.on('error', onError);
  answer.once('close', () => {
    socket.off('error', onError);
    work();
  });
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
  /** The latest answer on each connection; those written may be collected, with their requests. */
  const answers = new WeakMap<Socket, WeakRef<ServerResponse>>();
  // Without a listener, Node treats an upgrade as an ordinary request.
  const listener = (): void => {};
  server.on('upgrade', listener);
  server.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event === 'request') {
      const [{ socket }, response] = args as [IncomingMessage, ServerResponse];
      answers.set(socket, new WeakRef(response));
    }
    if (event !== 'upgrade') return emit(event, ...args);
    const [request, socket, head] = args as [IncomingMessage, Socket, Buffer];
    const isLast = server.listeners('upgrade').every((each) => each === listener);
    if (isLast && !offersWebSocket(request.headers)) {
      afterAnswer(answers.get(socket)?.deref(), socket, () => serveAsPlainRequest(server, request, socket, head));
      return true;
    }
    return serve(request, socket, head, isLast) || emit(event, ...args);
  };
}
