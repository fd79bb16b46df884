import { mkdirSync } from 'node:fs';
import Pusher from 'pusher';
import { type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { pusherJsSnippet } from '../../apps/server/src/welcome.js';
import { describeChromium, launchChromium } from '../support/chromium.js';
import { buildServer } from '../support/server-process.js';
import { useServer } from '../support/server.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 60_000 });

describeChromium('the page of a server in development', () => {
  const server = useServer();
  let browser: Browser;
  let url: string;
  /** Any other host. */
  const strangers: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    // Of what it makes, the console's pages are needed here.
    await buildServer();
    browser = await launchChromium();
    url = await server().getUrl();
  }, 180_000);
  afterAll(() => browser?.close());

  async function open(options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const page = await browser.newPage(options);
    page.on('request', (request) => new URL(request.url()).origin === url || strangers.push(request.url()));
    page.on('websocket', (socket) => new URL(socket.url()).host === new URL(url).host || strangers.push(socket.url()));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(url);
    return page;
  }
  const trigger = () =>
    new Pusher({
      appId: 'app-id',
      key: 'app-key',
      secret: 'app-secret',
      host: '127.0.0.1',
      port: new URL(url).port,
      useTLS: false,
    }).trigger('my-channel', 'my-event', { hello: 'world' });

  it('lets two tabs talk, and shows triggered events', async () => {
    const [one, other] = [await open(), await open()];
    await Promise.all([one, other].map((page) => page.getByText('Connected: 2 tabs').waitFor()));
    await one.getByLabel('Say something').fill('Is anybody there?');
    await one.getByRole('button', { name: 'Send', exact: true }).click();
    await other.getByText('Is anybody there?').waitFor();
    await other.getByLabel('Say something').fill('<b>Yes</b>');
    await other.keyboard.press('Enter');
    await one.getByText('<b>Yes</b>').waitFor();

    await trigger();
    await one.getByText('my-channel my-event {"hello":"world"}').waitFor();

    await one.getByText('Listening: 2 tabs.').waitFor();
    const terminal = await SocketClient.connect(Number(new URL(url).port), { key: 'app-key', secret: 'app-secret' });
    await terminal.subscribe('my-channel');
    await one.getByText('Listening: 2 tabs and 1 other client.').waitFor();
    terminal.close();
    await one.getByText('Listening: 2 tabs.').waitFor();
    await other.close();
    await one.getByText('Connected: 1 tab').waitFor();
    await one.close();
  });

  it('shows a client that works when pasted', async () => {
    const page = await open();
    await page.getByText('Connected').waitFor();
    for (const code of [await page.locator('#browser').textContent(), pusherJsSnippet(url, 'app-key').join('\n')]) {
      const heard: string[] = [];
      page.on('console', (message) => heard.push(message.text()));
      await page.evaluate(`{ ${code} }`);
      // It is subscribed when it hears the first of them.
      await until(async () => (await trigger(), heard.length > 0), 'it hears the event');
    }
    await page.close();
  });

  it.each([
    ['command', 'terminal'],
    ['code for browsers', 'browser'],
    ['code for servers', 'server'],
  ])('copies the %s, and selects it where a page must not copy', async (name, id) => {
    const page = await open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const code = await page.locator(`#${id}`).textContent();
    const button = page.getByRole('button', { name: `Copy the ${name}` });
    await button.click();
    await until(async () => (await button.textContent()) === 'Copied', 'it says that it copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(code);

    // As for a page without TLS on another machine.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await button.click();
    await until(async () => (await button.textContent()) === 'Selected', 'it says that it selected');
    expect(await page.evaluate('getSelection().toString()')).toBe(code);
    await page.close();
  });

  it('leads to the console', async () => {
    const page = await open();
    await page.getByRole('link', { name: 'The console' }).click();
    await page.waitForURL(`${url}/console**`);
    await page.getByRole('link', { name: 'Channels' }).first().waitFor();
    await page.close();
  });

  it('leads to the HTTP APIs', async () => {
    const page = await open();
    for (const name of ['Channels', 'Push', 'OpenAPI for your tools']) {
      const path = await page.getByRole('link', { name, exact: true }).getAttribute('href');
      expect((await fetch(url + path!)).status).toBe(200);
    }
    await page.close();
  });

  it.each([400, 800, 1600])('can be read at a width of %i', async (width) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open({ viewport: { width, height: 900 }, colorScheme });
      await page.getByText('Connected').waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      if (process.env['PICTURES']) {
        mkdirSync(process.env['PICTURES'], { recursive: true });
        await page.screenshot({ path: `${process.env['PICTURES']}/page-${width}-${colorScheme}.png`, fullPage: true });
      }
      await page.close();
    }
  });

  it('runs no inline script, contacts no other server, and logs no errors', async () => {
    const answer = await server().inject({ method: 'GET', url: '/' });
    expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(answer.body).not.toMatch(/<style|style=|<script(?! (type="module" )?src=)| on\w+=/);
    expect(strangers).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
