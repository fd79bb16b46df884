import type { Socket } from 'node:net';

/** How long a client may take to close the socket itself. */
const patienceMs = 2000;

/** Writes a last message and closes the socket, even when the client neither closes it nor stops sending. */
export function hangUp(socket: Socket, lastWords: Buffer | string): void {
  const timer = setTimeout(() => socket.destroy(), patienceMs).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(lastWords);
  socket.resume();
}
