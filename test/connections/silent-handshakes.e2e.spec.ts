import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HttpServers } from 'rookery/channels';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { RawClient, upgradeRequest } from '../support/raw-client.js';
import { authority, localhost } from '../support/tls/index.js';
import { until } from '../support/until.js';

const most = 5;

/** A host's own server: nothing but public methods of Node reach it. */
describe('sockets that have not finished their TLS handshake', () => {
  let server: ChannelsServer;
  let secure: Server;
  let port = 0;
  let address = '';
  let accepted = 0;
  const clients: Socket[] = [];
  beforeEach(async () => {
    server = await startChannels({ apps: [testApp], trustProxy: '1.0.0.9', limits: { silentSocketsPerAddress: most } });
    secure = createServer(localhost);
    server.app.get(HttpServers).attach(secure);
    // All clients of a test are on this machine.
    for (const event of ['connection', 'secureConnection'])
      secure.prependListener(event, (socket: Socket) =>
        Object.defineProperty(socket, 'remoteAddress', { value: address }),
      );
    secure.on('connection', () => accepted++);
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    ({ port } = secure.address() as AddressInfo);
    accepted = 0;
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const client of clients.splice(0)) client.destroy();
    secure.close();
    await server.close();
  });

  async function openSilent(from: string, count = most): Promise<void> {
    address = from;
    const before = accepted;
    for (let n = 0; n < count; n++) clients.push((await RawClient.open(port)).socket);
    await until(() => accepted === before + count, 'they are accepted');
  }
  async function openSecure(from: string): Promise<TLSSocket> {
    address = from;
    const client = connect({ port, host: '127.0.0.1', servername: 'localhost', ca: authority });
    clients.push(client);
    await once(client, 'secureConnect');
    return client;
  }
  const open = () => new Promise<number>((resolve) => secure.getConnections((_, count) => resolve(count)));
  async function isServed(from: string): Promise<boolean> {
    const client = await openSecure(from).catch(() => undefined);
    if (!client) return false;
    client.write(upgradeRequest(`/app/${testApp.key}?protocol=7`));
    const [answer] = (await once(client, 'data')) as [Buffer];
    client.on('error', () => {}).destroy();
    return answer.includes(' 101 ');
  }

  it('are limited for each network, and others are served', async () => {
    await openSilent('1.0.0.1');
    expect(await isServed('1.0.0.1')).toBe(false);
    expect(await isServed('1.0.0.2')).toBe(true);
    clients[0]!.destroy();
    await expect.poll(() => isServed('1.0.0.1')).toBe(true);
    // Those that have sent a request are silent no longer.
    for (let n = 0; n < 2 * most; n++) expect(await isServed('1.0.0.1')).toBe(true);
  });

  it('are counted together with those that sent no request after it', async () => {
    await openSilent('1.0.0.3', most - 1);
    const client = await openSecure('1.0.0.3');
    expect(await isServed('1.0.0.3')).toBe(false);
    client.write(upgradeRequest(`/app/${testApp.key}?protocol=7`));
    await once(client, 'data');
    expect(await isServed('1.0.0.3')).toBe(true);
  });

  it('are not counted for what may be a proxy', async () => {
    await openSilent('1.0.0.9', 2 * most);
    expect(await isServed('1.0.0.9')).toBe(true);
  });

  it('are closed after ten seconds, and those that have finished stay', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const client = await openSecure('1.0.0.4');
    await openSilent('1.0.0.4', 1);
    const silent = clients.at(-1)!;
    // A first byte is no handshake.
    silent.write(Buffer.of(0x16));
    const closed = new Promise((resolve) => silent.once('end', resolve).once('error', resolve));
    vi.advanceTimersByTime(9999);
    expect(await open()).toBe(2);
    vi.advanceTimersByTime(1);
    await closed;
    client.write(upgradeRequest(`/app/${testApp.key}?protocol=7`));
    expect(String((await once(client, 'data'))[0])).toContain(' 101 ');
  });
});
