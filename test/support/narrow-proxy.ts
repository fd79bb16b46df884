import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy as some companies have it: requests go through, WebSockets do not. */
export async function startNarrowProxy(target: number): Promise<{ readonly port: number; close(): void }> {
  const proxy = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const through = request({ host: '127.0.0.1', port: target, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    through.on('error', () => outgoing.destroy());
    outgoing.on('close', () => through.destroy());
    incoming.pipe(through);
  });
  proxy.on('upgrade', (_, socket) => socket.destroy());
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const close = (): void => {
    proxy.closeAllConnections();
    proxy.close();
  };
  return { port: (proxy.address() as AddressInfo).port, close };
}
