import PusherServer from 'pusher';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { describeChromium, launchChromium } from '../support/chromium.js';
import { startTabsSite } from '../support/tabs-site.js';
import { testApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { startGames } from './game-host.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** The script of the worker that has the connection of shared tabs; without one, the tab that leads has it. */
const places = [
  ['a worker', '/worker.js'],
  ['the tab that leads', ''],
] as const;

describeChromium('request() in Chromium', () => {
  let host: Awaited<ReturnType<typeof startGames>>;
  let site: Awaited<ReturnType<typeof startTabsSite>>;
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    host = await startGames({ apps: [{ ...testApp, history: [{ channels: 'presence-*' }] }] });
    site = await startTabsSite(
      new PusherServer({ appId: testApp.id, ...testApp, host: '127.0.0.1', port: String(host.port) }),
    );
    browser = await launchChromium();
  });
  beforeEach(async () => {
    context = await browser.newContext();
    Object.assign(host.games(), { moves: [], waits: 0, gate: Promise.resolve() });
  });
  afterEach(() => context.close());
  afterAll(async () => {
    await browser?.close();
    site?.close();
    await host?.close();
  });

  /** A player's page. @param script of the worker of shared tabs; undefined for a page with a connection of its own */
  async function open(transport: string, script?: string, path = '/'): Promise<Page> {
    const page = await context.newPage();
    await page.goto(site.url + path);
    await page.waitForFunction(() => 'request' in globalThis);
    await page.evaluate(
      ([key, port, name, path]) => {
        const world = globalThis as any;
        const options = {
          cluster: '',
          wsHost: '127.0.0.1',
          wsPort: port,
          httpHost: '127.0.0.1',
          httpPort: port,
          forceTLS: false,
          enabledTransports: [name],
        };
        const worker = () => new world.SharedWorker(path, { type: 'module' });
        const Pusher = world.Pusher;
        world.client =
          path === undefined
            ? new Pusher(key, options)
            : world.sharedPusher(key, options, { Pusher, ...(path && { worker }) });
        world.game = world.client.subscribe('presence-game.7');
      },
      [testApp.key, host.port, transport, script] as const,
    );
    return page;
  }

  /** What a page gets for a request: its reply, or the fields of its error. */
  const ask = (page: Page, place: 'game' | 'client', name: string, data: unknown = null): Promise<unknown> =>
    page.evaluate(
      ([of, asked, given]) => {
        const world = globalThis as any;
        return world
          .request(world[of], asked, given)
          .catch(({ name: kind, reason, status, message }: any) => ({ kind, reason, status, message }));
      },
      [place, name, data] as const,
    );

  const taken = { kind: 'RequestFailed', reason: 'refused', status: 409, message: 'This field is taken' };

  it.each([
    ['ws', 8, '/'],
    ['xhr_streaming', 8, '/'],
    ['xhr_polling', 8, '/'],
    ['ws', 7, '/7/'],
    ['xhr_streaming', 7, '/7/'],
  ] as const)('gets replies, long ones too, and errors over %s of pusher-js %i', async (name, version, path) => {
    const page = await open(name, undefined, path);
    expect(await ask(page, 'game', 'move', { field: 4 })).toEqual({ moves: 1 });
    expect(await ask(page, 'game', 'move', { field: 4 })).toEqual(taken);
    expect(await ask(page, 'client', 'book', 30_000)).toBe('ä'.repeat(30_000));
    const [transport, url] = await page.evaluate(() => {
      const { name: used, socket } = (globalThis as any).client.connection.connection.transport;
      return [used, socket.url ?? socket.location.queryString] as readonly string[];
    });
    expect(transport).toBe(name);
    expect(url).toContain(`version=${version}.`);
  });

  it.each(places)('gives each of the tabs what it asked for, with the connection in %s', async (_, script) => {
    const [first, second] = [await open('ws', script), await open('ws', script)];
    expect(await ask(first, 'game', 'move', { field: 4 })).toEqual({ moves: 1 });
    expect(await ask(second, 'game', 'move', { field: 4 })).toEqual(taken);
    const echoes = [first, second, first, second].map((page, n) => ask(page, 'client', 'echo', n));
    expect(await Promise.all(echoes)).toEqual([0, 1, 2, 3]);
  });

  it.each(places)('gets the reply after the first tab was closed, with the connection in %s', async (_, script) => {
    const [first, second] = [await open('ws', script), await open('ws', script)];
    expect(await ask(first, 'client', 'echo', 1)).toBe(1);
    let reply = (): void => {};
    host.games().gate = new Promise<void>((resolve) => (reply = resolve));
    const asked = ask(second, 'client', 'wait');
    await until(() => host.games().waits === 1, 'the method was called');
    await first.close();
    reply();
    expect(await asked).toBe('done');
    expect(host.games().waits).toBe(1);
  });
});
