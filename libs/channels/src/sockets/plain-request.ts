import type { IncomingMessage, Server } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';

const hopByHop = new Set(['upgrade', 'connection', 'http2-settings']);

/**
 * Some HTTP clients offer HTTP/2 (`Upgrade: h2c`) with every request. A server may ignore the offer, but Node emits an
 * upgrade as soon as there is a listener for upgrades. This hands the request back to the server without the offer.
 */
export function serveAsPlainRequest(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!hopByHop.has(rawHeaders[i]!.toLowerCase())) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  // Node decodes headers as latin1, so encoding them as latin1 restores their bytes.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit(server instanceof HttpsServer ? 'secureConnection' : 'connection', socket);
}
