import type { INestApplication } from '@nestjs/common';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import Pusher from 'pusher';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { ChannelsModule, HttpServers } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { testApp } from '../support/channels-server.js';
import { createHost } from '../support/embedding-host.js';
import { HttpClient } from '../support/http-client.js';
import { SocketClient } from '../support/socket-client.js';
import { authority, localhost } from '../support/tls/index.js';

const signals = ['SIGTERM', 'SIGINT'] as const;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0)) await close();
});

async function listening<T extends Server>(server: T): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close().closeAllConnections());
  return (server.address() as AddressInfo).port;
}

/** The recipe of Nest's documentation: the application starts, but listens with servers of its own. */
async function started(platform: 'Fastify' | 'Express') {
  const host = await createHost({ platform });
  await host.app.init();
  closing.unshift(() => host.app.close());
  return { ...host, handler: await handlerOf(host.app) };
}

async function handlerOf(app: INestApplication): Promise<RequestListener> {
  const instance = app.getHttpAdapter().getInstance() as RequestListener & { routing?: RequestListener; ready: any };
  if (!instance.routing) return instance;
  await instance.ready();
  return instance.routing;
}

describe.each(['Fastify', 'Express'] as const)('an application on %s with several servers', (platform) => {
  it('connects clients on those that it attaches, over TLS and without', async () => {
    const { app, handler } = await started(platform);
    const [plain, encrypted] = [createServer(handler), createTlsServer(localhost, handler)];
    for (const server of [plain, encrypted]) app.get(HttpServers).attach(server);
    const [port, tlsPort] = [await listening(plain), await listening(encrypted)];
    const alice = await SocketClient.connect(port);
    await alice.subscribe('news');
    const bob = new WebSocket(`wss://localhost:${tlsPort}/app/${testApp.key}?protocol=7`, { ca: authority });
    const [greeting] = (await once(bob, 'message')) as [Buffer];
    expect(JSON.parse(greeting.toString())).toMatchObject({ event: 'pusher:connection_established' });
    const pusher = new Pusher({ appId: testApp.id, ...testApp, host: '127.0.0.1', port: String(port) });
    await pusher.trigger('news', 'headline', 'hi');
    expect(await alice.next('headline')).toMatchObject({ data: 'hi' });
    const carol = await HttpClient.connect(port, 'xhr_streaming');
    await carol.subscribe('news');
    const closed = [alice.closing(), once(bob, 'close'), carol.closing()];
    await app.close();
    const [alices, [code]] = (await Promise.all(closed)) as [{ code: number }, [number]];
    expect([alices.code, code]).toEqual([4100, 4100]);
  });

  it('logs a warning if no client can connect', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const warnings = async (attach: boolean) => {
      const { app, lines, handler } = await started(platform);
      if (attach) app.enableShutdownHooks().get(HttpServers).attach(createServer(handler));
      vi.advanceTimersByTime(10_000);
      return lines.filter(({ level, context }) => level === 'warn' && context === 'Channels').map(({ text }) => text);
    };
    expect(await warnings(false)).toEqual([expect.stringMatching(/No client can connect: .*HttpServers\)\.attach/)]);
    expect(await warnings(true)).toEqual([]);
  });

  it('logs a warning if no signal closes it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const others = signals.map((signal) => [signal, process.rawListeners(signal)] as const);
    for (const [signal] of others) process.removeAllListeners(signal);
    try {
      const warnings = async (prepare: (app: INestApplication) => unknown) => {
        const { app, lines } = await createHost({ platform });
        prepare(app);
        await app.listen(0, '127.0.0.1');
        vi.advanceTimersByTime(10_000);
        vi.useRealTimers();
        await app.close();
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
        return lines.filter(({ level, context }) => level === 'warn' && context === 'Channels').map(({ text }) => text);
      };
      expect(await warnings(() => {})).toEqual([expect.stringContaining('app.enableShutdownHooks() in main.ts')]);
      expect(await warnings((app) => app.enableShutdownHooks())).toEqual([]);
    } finally {
      for (const [signal, listeners] of others) for (const each of listeners) process.on(signal, each as () => void);
    }
  });

  it('attaches none in a process without sockets', async () => {
    const channels = ChannelsModule.forRoot({ apps: [testApp], serveRoutes: false });
    const { app } = await createHost({ platform, imports: [PresenceModule.forRoot(), channels] });
    closing.unshift(() => app.close());
    await app.init();
    expect(() => app.get(HttpServers).attach(createServer())).toThrow('ChannelsModule: serveRoutes is false');
  });
});
