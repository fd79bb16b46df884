import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { RawClient, upgradeRequest } from '../support/raw-client.js';
import { until } from '../support/until.js';

const most = 5;

describe.each([true, false])('sockets that have sent no request (bypassRouter: %s)', (bypassRouter) => {
  let server: ChannelsServer;
  let address = '';
  const clients: RawClient[] = [];
  beforeAll(async () => {
    const limits = { silentSocketsPerAddress: most };
    server = await startChannels({ apps: [testApp], bypassRouter, trustProxy: '1.0.0.9', limits });
    // All clients of a test are on this machine.
    server.app
      .getHttpServer()
      .prependListener('connection', (socket: Socket) =>
        Object.defineProperty(socket, 'remoteAddress', { value: address }),
      );
  });
  afterEach(() => {
    for (const { socket } of clients.splice(0)) socket.destroy();
  });
  afterAll(() => server.close());

  async function open(from: string): Promise<RawClient> {
    address = from;
    const client = await RawClient.open(server.port);
    clients.push(client);
    await until(async () => (await connections()) >= clients.length, 'it is accepted');
    return client;
  }
  const connections = () =>
    new Promise<number>((resolve) => server.app.getHttpServer().getConnections((_, count) => resolve(count)));
  const openSome = async (from: string) => {
    for (let n = 0; n < most; n++) await open(from);
  };
  const isRefused = ({ received }: RawClient) => received.toString().startsWith('HTTP/1.1 503 ');
  async function isServed(client: RawClient): Promise<boolean> {
    client.write(upgradeRequest(`/app/${testApp.key}?protocol=7`));
    await until(() => /connection_established| 503 /.test(client.received.toString()), 'it is answered');
    return !isRefused(client);
  }

  it('are limited for each network, and others are served', async () => {
    await openSome('1.0.0.1');
    const client = await RawClient.open(server.port);
    await until(() => isRefused(client), 'one more is refused');
    expect(await isServed(await open('1.0.0.2'))).toBe(true);
    // Those that were first are served too, and make room.
    expect(await isServed(clients[0]!)).toBe(true);
    expect(await isServed(await open('1.0.0.1'))).toBe(true);
    clients[1]!.socket.destroy();
    await until(async () => {
      address = '1.0.0.1';
      const next = await RawClient.open(server.port);
      return isServed(next).finally(() => next.socket.destroy());
    }, 'one that left makes room');
  });

  it('make room by a request of any kind', async () => {
    for (let n = 0; n < 3 * most; n++) {
      const client = await open('1.0.0.3');
      const path = n % 2 === 0 ? `/apps/${testApp.id}/events` : '/nothing';
      client.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`);
      await until(() => client.received.includes('HTTP/1.1'), 'it is answered');
      expect(isRefused(client)).toBe(false);
    }
  });

  it.each(['10.0.0.1', '1.0.0.9'])('are not counted for %s, which may be a proxy', async (proxy) => {
    await openSome(proxy);
    expect(await isServed(await open(proxy))).toBe(true);
  });
});
