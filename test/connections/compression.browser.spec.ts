import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EventsService } from 'rookery/channels';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { describeChromium, launchChromium } from '../support/chromium.js';
import { until } from '../support/until.js';

const script = new URL('../../node_modules/pusher-js/dist/web/pusher.js', import.meta.url);

describeChromium('pusher-js in a browser, with a server that compresses', () => {
  let server: ChannelsServer;
  let pages: Server;
  let browser: Browser;
  beforeAll(async () => {
    server = await startChannels({ apps: [testApp], compressFromBytes: 500 });
    const pusherJs = await readFile(script);
    pages = createServer(({ url }, response) => {
      if (url === '/pusher.js') response.setHeader('content-type', 'text/javascript').end(pusherJs);
      else response.setHeader('content-type', 'text/html').end('<script src="/pusher.js"></script>');
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    pages?.close();
    await server?.close();
  });

  it('agrees on it, and hears long and short events alike', async () => {
    const page = await browser.newPage();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.enable');
    const agreed: (string | undefined)[] = [];
    devtools.on('Network.webSocketHandshakeResponseReceived', ({ response }) =>
      agreed.push(response.headers['Sec-WebSocket-Extensions']),
    );
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}`);
    await page.evaluate(
      ([key, wsPort]) => {
        const world = globalThis as any;
        const options = { wsHost: '127.0.0.1', wsPort, forceTLS: false, cluster: '', enabledTransports: ['ws'] };
        world.heard = [];
        world.client = new world.Pusher(key, options);
        world.client.subscribe('news').bind('list', (data: unknown) => world.heard.push(data));
      },
      [testApp.key, server.port] as const,
    );
    const isSubscribed = () => page.evaluate(() => (globalThis as any).client.channel('news').subscribed as boolean);
    await until(isSubscribed, 'it is subscribed');
    expect(agreed).toEqual(['permessage-deflate; server_no_context_takeover; client_no_context_takeover']);
    const lists = [1, 10, 100].map((count) => Array.from({ length: count }, (_, id) => ({ id, state: 'påid' })));
    const events = server.app.get(EventsService);
    for (const data of lists)
      await events.trigger(testApp.id, { channels: ['news'], name: 'list', data: JSON.stringify(data) });
    const heard = () => page.evaluate(() => (globalThis as any).heard as unknown[]);
    await until(async () => (await heard()).length === lists.length, 'it hears all');
    expect(await heard()).toEqual(lists);
  });
});
