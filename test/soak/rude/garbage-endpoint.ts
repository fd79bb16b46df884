import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** An endpoint for webhooks that answers garbage. */
export async function startGarbageEndpoint(onRequest: () => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      onRequest();
      socket.end('\0HTTP/9 garbage\r\n\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
