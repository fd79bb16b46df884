import type { Server } from 'node:https';
import type { Socket } from 'node:net';

/** How long a TLS handshake may take, in milliseconds. Node's own limit is fixed when a host makes its server: 120 s. */
const handshakeMs = 10_000;

/**
 * Follows the handshakes of a TLS server, and ends those that take too long.
 * @param over called with the accepted socket, and the secure one in its place; undefined if it was closed before
 */
export function followHandshakes(server: Server, over: (accepted: Socket, secure: Socket | undefined) => void): void {
  /** By both ends of the connection: Node does not tell which accepted socket a secure one belongs to. */
  const pending = new Map<string, (secure: Socket) => void>();

  function begin(socket: Socket): void {
    // A Unix socket has no ports.
    if (socket.destroyed || socket.remotePort === undefined) return;
    const ends = endsOf(socket);
    const timer = setTimeout(() => socket.destroy(), handshakeMs).unref();
    const end = (secure?: Socket): void => {
      clearTimeout(timer);
      pending.delete(ends);
      socket.off('close', closed);
      over(socket, secure);
    };
    const closed = (): void => end();
    socket.on('close', closed);
    pending.set(ends, end);
  }

  server.prependListener('connection', begin);
  server.prependListener('secureConnection', (secure: Socket) => pending.get(endsOf(secure))?.(secure));
}

const endsOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
