import { lstatSync, unlinkSync } from 'node:fs';
import { connect, type Server, type Socket } from 'node:net';

/** Whether the host of the configuration is the path of a Unix socket. */
export const isSocketPath = (host: string): boolean => host.startsWith('/');

/** The URL at which a server listens, for the log. */
export const unixUrl = (path: string): string => `unix:${path}`;
export const isUnixUrl = (url: string): boolean => url.startsWith('unix:');

/**
 * Makes a server on a Unix socket one that Fastify and Nest can listen with and whose clients have an address.
 * @param path the path, if it is known: a supervisor passes the socket without it
 */
export function withUnixSocket(server: Server, path = 'the socket of LISTEN_FDS'): void {
  const address = server.address.bind(server);
  // Node answers null for a Unix socket that it was handed, on which both fail; a worker gets every socket that way.
  server.address = () => (server.listening ? (address() ?? path) : null);
  // Known from the first connection on: to ask the kernel at each one would cost as much as its address.
  let isUnix: boolean | undefined;
  // The other end is a process of this machine, most likely a proxy. With the address of this machine in place of none,
  // it is trusted, limited and logged as over TCP.
  const name = (socket: Socket): void => {
    isUnix ??= typeof server.address() === 'string';
    if (isUnix) Object.defineProperty(socket, 'remoteAddress', { value: '127.0.0.1' });
  };
  // The latter is what requests see of a connection with TLS.
  server.prependListener('connection', name).prependListener('secureConnection', name);
}

/** Removes the file of a Unix socket on which no process listens any more: a killed one leaves it. */
export async function removeStaleSocket(path: string): Promise<void> {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSocket()) return;
  const isRefused = await new Promise<boolean>((resolve) => {
    const socket = connect({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
  });
  if (isRefused) unlinkSync(path);
}
