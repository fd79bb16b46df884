import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { readFile } from 'node:fs/promises';
import Pusher from 'pusher';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { EventsService } from 'rookery/channels';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { describeChromium, launchChromium } from '../support/chromium.js';
import { Random } from '../support/random.js';
import { RoughProxy, roughness } from '../support/rough-proxy.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const script = new URL('../../node_modules/pusher-js/dist/web/pusher.js', import.meta.url);

describeChromium('pusher-js in a browser, without WebSockets', () => {
  let server: ChannelsServer;
  let pages: Server;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const history = [{ channels: 'orders-*', events: 1000 }];
    server = await startChannels({ apps: [{ ...testApp, clientEvents: true, history }], sessions: { pingMs: 200 } });
    const pusherJs = await readFile(script);
    pages = createServer(({ url }, response) => {
      if (url === '/pusher.js') response.setHeader('content-type', 'text/javascript').end(pusherJs);
      else response.setHeader('content-type', 'text/html').end('<script src="/pusher.js"></script>');
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    browser = await launchChromium();
  });
  afterEach(() => page?.close());
  afterAll(async () => {
    await browser?.close();
    pages?.close();
    await server?.close();
  });

  /** A page, of another origin than the server, with a client in it that signs for itself. */
  async function open(options: object, prepare: (opened: Page) => unknown = () => {}): Promise<void> {
    page = await browser.newPage();
    await prepare(page);
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}`);
    const signer = new Pusher({ appId: testApp.id, ...testApp, host: '127.0.0.1' });
    await page.exposeFunction('authorize', (socketId: string, channel: string) =>
      signer.authorizeChannel(socketId, channel, { user_id: socketId }),
    );
    const { port } = server;
    const hosts = { wsHost: '127.0.0.1', wsPort: port, httpHost: '127.0.0.1', httpPort: port, forceTLS: false };
    await page.evaluate(
      ([key, settings]) => {
        const world = globalThis as any;
        world.heard = [];
        world.client = new world.Pusher(key, {
          ...(settings as object),
          cluster: '',
          channelAuthorization: {
            customHandler: async ({ channelName, socketId }: any, callback: any) =>
              callback(null, await world.authorize(socketId, channelName)),
          },
        });
        world.client.bind_global((event: string, data: unknown) => world.heard.push([event, data]));
      },
      [testApp.key, { ...hosts, ...options }] as const,
    );
    await until(async () => (await state()) === 'connected', 'it is connected');
  }
  const state = () => page.evaluate(() => (globalThis as any).client.connection.state as string);
  const heard = (name: string) =>
    page.evaluate((event) => (globalThis as any).heard.filter(([each]: [string]) => each === event), name);
  async function subscribed(...channels: readonly string[]): Promise<void> {
    await page.evaluate((names) => names.forEach((each) => (globalThis as any).client.subscribe(each)), channels);
    const are = () =>
      page.evaluate((names) => names.every((each) => (globalThis as any).client.channel(each).subscribed), channels);
    await until(are, 'it is subscribed');
  }
  const transport = () =>
    page.evaluate(() => (globalThis as any).client.connection.connection.transport.name as string);

  it.each(['xhr_streaming', 'xhr_polling'])(
    'hears and says everything over %s, through more than one answer',
    async (name) => {
      await open({ enabledTransports: [name] });
      const channels = ['', 'private-', 'presence-', 'cache-'].map((kind) => `${kind}${name}`);
      await subscribed(...channels);
      expect(await transport()).toBe(name);
      const events = server.app.get(EventsService);
      for (let n = 0; n < 60; n++) {
        const channel = channels[n % channels.length]!;
        await events.trigger(testApp.id, { name: 'e', channel, data: JSON.stringify(`${n} é${'x'.repeat(9000)}`) });
      }
      await until(async () => (await heard('e')).length === 60, 'all has come');
      const numbers = (await heard('e')).map(([, data]: [string, string]) => Number.parseInt(data, 10));
      // In order on each channel; over all of them nothing is promised.
      for (const [i] of channels.entries())
        expect(numbers.filter((n: number) => n % channels.length === i)).toEqual(
          Array.from({ length: 15 }, (_, n) => n * channels.length + i),
        );
      expect(await heard('pusher:error')).toEqual([]);
      expect(await state()).toBe('connected');
    },
  );

  // pusher-js gives up streams after two that were cut off young, and polls from then on.
  it.each(['xhr_streaming,xhr_polling', 'xhr_polling'])(
    'gets every event in order behind a bad network, over %s and with a session',
    async (names) => {
      const proxy = await RoughProxy.start(() => server.port);
      const random = new Random(14);
      try {
        const patience = { activityTimeout: 1000, pongTimeout: 500 };
        const httpPath = `/session/${randomUUID()}/pusher`;
        await open({ enabledTransports: names.split(','), httpPort: proxy.port, httpPath, ...patience });
        const channel = `orders-${names}`;
        await subscribed(channel);
        for (let n = 1; n <= 300; n++) {
          await server.app.get(EventsService).trigger(testApp.id, { name: 'n', channel, data: String(n) });
          if (n % 50 === 0) proxy.be(random.of(roughness));
          await delay(random.below(20));
        }
        const numbers = async () => (await heard('n')).map(([, data]: [string, number]) => data) as number[];
        await until(async () => (await numbers()).at(-1) === 300, 'the last has come', 60_000);
        // Some may come twice, late; each new one is the next.
        expect([...new Set(await numbers())]).toEqual(Array.from({ length: 300 }, (_, n) => n + 1));
        expect(await heard('rookery:gap')).toEqual([]);
      } finally {
        proxy.stop();
      }
    },
    120_000,
  );

  it('with no option but the hosts, connects where WebSockets are broken', async () => {
    await open({}, (opened) =>
      opened.addInitScript(() => {
        const world = globalThis as any;
        const RealSocket = world.WebSocket;
        // As behind a proxy that swallows the upgrade: neither opened nor refused.
        world.WebSocket = class extends RealSocket {
          constructor() {
            super('ws://127.0.0.1:9');
            for (const event of ['error', 'close'])
              (this as any).addEventListener(event, (happened: any) => happened.stopImmediatePropagation());
          }
        };
      }),
    );
    expect(await transport()).toMatch(/^xhr_/);
  });
});
