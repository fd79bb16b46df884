import type { AddressInfo, Server, Socket } from 'node:net';

/** Listens on a free port of localhost and answers it, with a way to end the server and what is connected to it. */
export async function listen(
  server: Server,
): Promise<{ readonly port: number; readonly sockets: ReadonlySet<Socket>; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done());
      for (const socket of sockets) socket.destroy();
    });
  return { port: (server.address() as AddressInfo).port, sockets, close };
}
