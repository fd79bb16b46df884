import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { developmentInstance } from '../../apps/server/src/config/development.js';
import { deliver, subscribeAtStandIn } from '../support/browser-push.js';
import { describeChromium, startChromium } from '../support/chromium.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { type StandInWebPush, standInWebPush } from '../support/stand-ins/index.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 60_000 });

declare const self: any;

/** Only the browser's push service is a stand-in: no other can be reached. */
describeChromium('the first notification, with a server that has no configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-first-push-'));
  let vendor: StandInWebPush;
  let server: ServerProcess;
  let browser: { context: BrowserContext; close(): Promise<void> };
  let page: Page;
  let token: string;

  beforeAll(async () => {
    const { vapidPrivateKey } = developmentInstance.web!;
    [vendor] = await Promise.all([standInWebPush({ vapidPrivateKey }), buildServer()]);
    const DATABASE_URL = `sqlite:${join(folder, 'rookery.db')}`;
    server = await ServerProcess.start({ DATABASE_URL, ALLOW_PRIVATE_NETWORK: 'true', NODE_ENV: '' });
    browser = await startChromium(server.url);
    ({ token } = vendor.subscribe('chromium'));
    const subscription = Buffer.from(token, 'base64').toString();
    await browser.context.addInitScript(subscribeAtStandIn, subscription);
    page = await browser.context.newPage();
    await page.goto(`${server.url}/console/`);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await vendor?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('reaches a browser that was registered on the page of devices', async () => {
    await page.getByRole('link', { name: 'Devices' }).click();
    await page.getByRole('button', { name: 'Register this browser' }).click();
    const detail = page.getByRole('complementary', { name: 'Device' });
    await detail.getByRole('link', { name: 'hello' }).waitFor();
    await detail.getByRole('button', { name: 'Send a test' }).click();
    await detail.getByText("The browser's push service accepted the notification").waitFor();
    await until(() => vendor.received.length > 0, 'the push service has it');

    await deliver(page, JSON.stringify(vendor.received[0]?.payload));
    const [worker] = browser.context.serviceWorkers();
    const shown = await worker!.evaluate(async () =>
      (await self.registration.getNotifications()).map((each: any) => each.title),
    );
    expect(shown).toEqual(['Test']);
  });

  it('reaches a browser that looks at the first page', async () => {
    const before = vendor.received.length;
    await page.goto(server.url);
    await page.getByRole('button', { name: 'Send yourself a push' }).click();
    await page.getByText("Your browser's push service has it.").waitFor();
    await until(() => vendor.received.length > before, 'the push service has it');
    expect(vendor.received.at(-1)?.payload).toMatchObject({ notification: { title: 'Hello from Rookery' } });
    if (process.env['PICTURES'])
      await page.screenshot({ path: join(process.env['PICTURES'], 'first-page-push.png'), fullPage: true });
  });

  it('says why it did not, and what to do', async () => {
    vendor.answer(token, { status: 500 });
    await page.getByRole('button', { name: 'Send yourself a push' }).click();
    await page
      .getByText('HTTP 500: The push service has a problem of its own. You need do nothing: Rookery retries')
      .waitFor();
  });
});
