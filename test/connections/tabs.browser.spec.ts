import { setTimeout as delay } from 'node:timers/promises';
import PusherServer from 'pusher';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { describeChromium, launchChromium } from '../support/chromium.js';
import { startTabsSite } from '../support/tabs-site.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Where the connection of the tabs is. */
type Place = 'a worker' | 'the tab that leads' | 'a tab, as the worker cannot be loaded';
const scripts: Readonly<Record<Place, string>> = {
  'a worker': '/worker.js',
  'the tab that leads': '',
  'a tab, as the worker cannot be loaded': '/missing.js',
};
const places: readonly Place[] = ['a worker', 'the tab that leads'];

describeChromium('tabs of Chromium', () => {
  let server: ChannelsServer;
  let pusher: PusherServer;
  let site: Awaited<ReturnType<typeof startTabsSite>>;
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    const history = [{ channels: 'orders' }];
    server = await startChannels({
      apps: [{ ...testApp, clientEvents: true, subscriptionCount: true, history }],
      sessions: { pingMs: 200 },
    });
    pusher = new PusherServer({ appId: testApp.id, ...testApp, host: '127.0.0.1', port: String(server.port) });
    site = await startTabsSite(pusher);
    browser = await launchChromium();
  });
  beforeEach(async () => {
    context = await browser.newContext();
  });
  afterEach(async () => {
    await context.close();
    site.asked.length = 0;
    await until(async () => (await connections()) === 0, 'all are gone');
  });
  afterAll(async () => {
    await browser?.close();
    site?.close();
    await server?.close();
  });

  /** A tab that subscribes to channels, and keeps the data of what it hears of each. */
  async function open(place: Place, ...channels: readonly string[]): Promise<Page> {
    const page = await context.newPage();
    await page.goto(site.url);
    await page.waitForFunction(() => 'sharedPusher' in globalThis);
    await page.evaluate(
      ([key, port, names, script]) => {
        const world = globalThis as any;
        const options = { cluster: '', wsHost: '127.0.0.1', wsPort: port, forceTLS: false, enabledTransports: ['ws'] };
        const worker = () => new world.SharedWorker(script, { type: 'module' });
        world.client = world.sharedPusher(key, options, { Pusher: world.Pusher, ...(script && { worker }) });
        world.heard = [];
        for (const name of names) {
          const channel = world.client.subscribe(name);
          for (const event of ['e', 'client-e', 'rookery:gap'])
            channel.bind(event, (data: any) => world.heard.push(data));
        }
      },
      [testApp.key, server.port, channels, scripts[place]] as const,
    );
    const are = () =>
      page.evaluate(() => (globalThis as any).client.allChannels().every((each: any) => each.subscribed));
    await until(are, 'it is subscribed');
    return page;
  }
  const heard = (page: Page): Promise<unknown[]> => page.evaluate(() => (globalThis as any).heard);
  const socketId = (page: Page): Promise<string> =>
    page.evaluate(() => (globalThis as any).client.connection.socket_id);

  const get = async (path: string, params = {}): Promise<any> => (await pusher.get({ path, params })).json();
  const connections = async (): Promise<number> => (await get('/connections')).connections;
  const channels = async (): Promise<string[]> => Object.keys((await get('/channels')).channels);

  it.each(Object.keys(scripts) as Place[])('five have one connection, in %s', async (place) => {
    const five: Page[] = [];
    for (let i = 0; i < 5; i++) five.push(await open(place, 'presence-room', 'private-orders'));
    expect(await connections()).toBe(1);
    expect(await get('/channels/presence-room/users')).toEqual({ users: [{ id: 'alice' }] });
    const { subscription_count } = await get('/channels/presence-room', { info: 'subscription_count' });
    expect(subscription_count).toBe(1);
    expect(site.asked.toSorted()).toEqual(['presence-room', 'private-orders']);
    for (let n = 1; n <= 20; n++) await pusher.trigger('private-orders', 'e', n);
    const all = Array.from({ length: 20 }, (_, n) => n + 1);
    for (const page of five) await until(async () => (await heard(page)).includes(20), 'it has heard the last');
    for (const page of five) expect(await heard(page)).toEqual(all);
    await five[0]!.evaluate(() => (globalThis as any).client.channel('presence-room').trigger('client-e', 'hi'));
    for (const page of five.slice(1)) await until(async () => (await heard(page)).includes('hi'), 'hi has come');
    expect(await heard(five[0]!)).toEqual(all);
  });

  it.each(places)('leave channels with the last of them, with the connection in %s', async (place) => {
    const [first, second] = [await open(place, 'a', 'b'), await open(place, 'b', 'c')];
    await second.close();
    await until(async () => (await channels()).join() === 'a,b', 'c has gone');
    const third = await open(place, 'b');
    await first.close();
    await until(async () => (await channels()).join() === 'b', 'a has gone');
    expect(await connections()).toBe(1);
    await third.close();
    await until(async () => (await connections()) === 0, 'the connection has gone');
  });

  it.each(places)(
    'lose nothing when the tabs before them close and crash, with the connection in %s',
    async (place) => {
      const tabs: Page[] = [];
      for (let i = 0; i < 4; i++) tabs.push(await open(place, 'orders'));
      const before = await socketId(tabs[3]!);
      // The worker runs in the process of the first tab.
      const [first, second] = place === 'a worker' ? [crash, close] : [close, crash];
      const ends = new Map([
        [60, () => first(tabs[0]!)],
        [140, () => second(tabs[1]!)],
      ]);
      for (let n = 1; n <= 220; n++) {
        await pusher.trigger('orders', 'e', n);
        await Promise.all([ends.get(n)?.(), delay(10)]);
      }
      const all = Array.from({ length: 220 }, (_, n) => n + 1);
      for (const page of tabs.slice(2))
        await until(async () => (await heard(page)).includes(220), 'it has heard the last', 60_000);
      for (const page of tabs.slice(2)) expect(await heard(page)).toEqual(all);
      await until(async () => (await connections()) === 1, 'there is one connection');
      const late = await open(place, 'orders');
      expect(await socketId(late)).toBe(await socketId(tabs[3]!));
      expect(await heard(late)).toEqual([]);
      expect(await socketId(late)).not.toBe(before);
    },
  );

  it('take the connection of a tab that does not answer', async () => {
    const [frozen, seen, other] = [
      await open('the tab that leads', 'orders'),
      await open('the tab that leads', 'orders'),
      await open('the tab that leads', 'orders'),
    ];
    const before = await socketId(seen);
    // To the others, a tab that computes for long is as a frozen one.
    await frozen.evaluate(() => {
      setTimeout(() => {
        for (const end = Date.now() + 8000; Date.now() < end;);
      });
    });
    await pusher.trigger('orders', 'e', 1);
    await seen.evaluate(() => {
      const { document, Event } = globalThis as any;
      document.dispatchEvent(new Event('visibilitychange'));
    });
    for (const page of [seen, other]) await until(async () => (await heard(page)).length > 0, 'it hears');
    await until(async () => (await socketId(other)) !== before, 'it has another connection');
    await until(async () => (await connections()) === 1, 'the old connection has gone');
    await pusher.trigger('orders', 'e', 2);
    for (const page of [frozen, seen, other])
      await until(async () => (await heard(page)).includes(2), 'all hear again');
    for (const page of [frozen, seen, other]) expect(await heard(page)).toEqual([1, 2]);
  });

  const close = (page: Page): Promise<void> => page.close();
  /** Ends the process of a tab, as the browser does when memory is short. */
  async function crash(page: Page): Promise<void> {
    const session = await context.newCDPSession(page);
    const crashed = page.waitForEvent('crash');
    // It is never answered.
    session.send('Page.crash').catch(() => undefined);
    await crashed;
  }
});
