import PusherServer from 'pusher';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { describeChromium, launchChromium } from '../support/chromium.js';
import { startHooksSite } from '../support/hooks-site.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describeChromium('the pages of docs/hooks.md in Chromium', () => {
  let server: ChannelsServer;
  let pusher: PusherServer;
  let site: Awaited<ReturnType<typeof startHooksSite>>;
  let browser: Browser;
  const pages: Page[] = [];

  beforeAll(async () => {
    server = await startChannels({ apps: [{ ...testApp, clientEvents: true }] });
    const { port } = server;
    pusher = new PusherServer({ appId: testApp.id, ...testApp, host: '127.0.0.1', port: String(port) });
    const options = { cluster: '', wsHost: '127.0.0.1', wsPort: port, forceTLS: false };
    site = await startHooksSite(pusher, testApp.key, { ...options, enabledTransports: ['ws'] });
    browser = await launchChromium();
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.close();
  });
  afterAll(async () => {
    await browser?.close();
    site?.close();
    await server?.close();
  });

  const faults: string[] = [];
  async function open(path: string): Promise<Page> {
    const page = await browser.newPage();
    pages.push(page);
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    await page.goto(site.url + path);
    return page;
  }
  const untilText = (page: Page, tag: string, text: string): Promise<void> =>
    until(async () => (await page.locator(tag).allTextContents()).join() === text, `${tag} shows ${text}`);

  it.each([
    ['react', 'vue'],
    ['vue', 'react'],
  ])('show who is in the room, and what is said, with %s', async (name, other) => {
    const alice = await open(`/${name}?user=Alice`);
    await untilText(alice, 'h1', 'Alice');
    const bob = await open(`/${other}?user=Bob`);
    await untilText(alice, 'h1', 'Alice, Bob');
    await untilText(bob, 'h1', 'Alice, Bob');
    await bob.getByRole('button').click();
    await untilText(alice, 'p', 'bob: Hello');
    await bob.close();
    await untilText(alice, 'h1', 'Alice');
    expect(faults).toEqual([]);
  });

  it('show who is typing, until the message comes', async () => {
    const [alice, bob] = [await open('/typing?user=Alice'), await open('/typing?user=Bob')];
    for (const page of [alice, bob]) await untilText(page, 'h1', 'Alice, Bob');
    // It is shown for three seconds after each event.
    const isShown = async () => (await bob.locator('small').textContent()) === 'alice typing …';
    const types = async () => (await alice.getByLabel('Message').press('a'), isShown());
    await until(types, 'Bob sees that Alice is typing');
    await pusher.trigger('presence-room.kitchen', 'message', { from: 'alice' });
    await untilText(bob, 'small', '');
    expect(faults).toEqual([]);
  });
});
