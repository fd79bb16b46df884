import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Sends bytes to an HTTP server in the given pieces, each in a write of its own, and answers all that comes back until
 * the server closes the connection, without what changes from second to second.
 */
export async function rawExchange(port: number, pieces: readonly string[], { end = false } = {}): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  // A server that has heard enough may reset the connection.
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  for (const piece of pieces) {
    await new Promise((resolve) => void socket.write(piece, 'latin1', resolve));
    // A turn for the server, which lives in this process.
    await new Promise((resolve) => void setImmediate(() => setImmediate(resolve)));
  }
  if (end) socket.end();
  await closed;
  return text.replaceAll(/^Date: .*$/gm, 'Date: …');
}
