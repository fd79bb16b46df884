import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const hopByHop = new Set(['upgrade', 'connection', 'http2-settings']);

/** Node's own listener for connections, which reads their requests. It is the same for all servers. */
const readRequests = createServer().listeners('connection')[0] as (this: Server, socket: Socket) => void;

/**
 * Some HTTP clients offer HTTP/2 (`Upgrade: h2c`) with every request. A server may ignore the offer, but Node emits an
 * upgrade as soon as there is a listener for upgrades. This hands the request back to Node without the offer. Other
 * listeners of the server know the connection already.
 */
export function serveAsPlainRequest(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
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
export function afterAnswer(answer: ServerResponse | undefined, socket: Socket, work: () => void): void {
  if (!answer || answer.closed) return work();
  const onError = (): void => void socket.destroy();
  socket.on('error', onError);
  answer.once('close', () => {
    socket.off('error', onError);
    work();
  });
}
