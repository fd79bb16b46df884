import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type Pusher from 'pusher';

/**
 * An application's `/broadcasting/auth`, as Laravel has it. The name of the user is the Bearer token. Nobody is let onto a
 * channel that ends in `secret`, and for one that ends in `forged` it has a wrong secret.
 */
export async function startAuthEndpoint(pusher: Pusher, forger: Pusher) {
  const authorize = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await text(request));
    const [socketId, channel] = [form.get('socket_id') ?? '', form.get('channel_name') ?? ''];
    const name = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (channel.endsWith('secret')) return void response.writeHead(403).end('{"message":"Forbidden"}');
    const member = channel.startsWith('presence-') ? { user_id: name, user_info: { name } } : undefined;
    const signer = channel.endsWith('forged') ? forger : pusher;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(signer.authorizeChannel(socketId, channel, member)));
  };
  const server = createServer((request, response) => void authorize(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/broadcasting/auth`, close };
}
