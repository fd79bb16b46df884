import type { Socket } from 'node:net';

/** How long a client may take to hang up itself. */
const patienceMs = 2000;

/** Says a last thing and hangs up, also on a client that neither hangs up nor stops talking. */
export function hangUp(socket: Socket, lastWords: Buffer | string): void {
  const timer = setTimeout(() => socket.destroy(), patienceMs).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.end(lastWords);
  socket.resume();
}
