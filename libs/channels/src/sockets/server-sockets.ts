import type { Server } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';

/**
 * Counts the open sockets of a server. `server.getConnections()` omits sockets that another listener has accepted and
 * passed on with `server.emit('connection', socket)`.
 */
export class ServerSockets {
  open = 0;

  constructor(readonly server: Server) {
    // One function for all sockets, to save memory.
    const closed = (): void => void (this.open -= 1);
    server.on(server instanceof HttpsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.open += 1;
      socket.once('close', closed);
    });
  }
}
