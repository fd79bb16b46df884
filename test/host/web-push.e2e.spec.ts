import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { deliver, subscribeAtStandIn } from '../support/browser-push.js';
import { describeChromium, startChromium } from '../support/chromium.js';
import { Example } from '../support/example.js';
import { type StandInWebPush, standInWebPush } from '../support/stand-ins/index.js';
import { pageFaults } from '../support/page-faults.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 60_000 });

declare const self: any;

/** Only the browser's push service is a stand-in: no other can be reached. */
describeChromium('the news by web push', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-web-push-'));
  let vendor: StandInWebPush;
  let example: Example;
  let browser: { context: BrowserContext; close(): Promise<void> };
  let page: Page;

  beforeAll(async () => {
    vendor = await standInWebPush();
    writeFileSync(join(folder, 'vapid.json'), JSON.stringify(vendor.credentials));
    example = await Example.start('web-push', { DATA: folder, ALLOW_PRIVATE_NETWORK: 'true' });
    browser = await startChromium(example.url);
    const subscription = Buffer.from(vendor.subscribe('chromium').token, 'base64').toString();
    await browser.context.addInitScript(subscribeAtStandIn, subscription);
    page = await browser.context.newPage();
    await page.setViewportSize({ width: 640, height: 560 });
    await page.goto(example.url);
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await example?.stop();
    await vendor?.close();
    rmSync(folder, { recursive: true });
  });

  const waitFor = (text: string) => page.getByText(text).waitFor({ timeout: 30_000 });

  it('reach a subscribed browser', async () => {
    await page.getByText('Tell me the news').click();
    await waitFor('It gets notifications, as web-');
    await page.getByText('Send').click();
    await until(() => vendor.received.length > 0, 'the push service has it');
    await waitFor('Sent to 1, shown by 0, opened by 0.');
    await deliver(page, JSON.stringify(vendor.received[0]?.payload));
    await waitFor('Sent to 1, shown by 1, opened by 0.');
    expect(await pageFaults(page)).toEqual([]);
    const [worker] = browser.context.serviceWorkers();
    const shown = () =>
      worker!.evaluate(async () => (await self.registration.getNotifications()).map((each: any) => each.title));
    await until(async () => (await shown()).join() === 'Fresh bread', 'it is shown');
    await worker!.evaluate(async () => {
      const [notification] = await self.registration.getNotifications();
      self.dispatchEvent(new self.NotificationEvent('notificationclick', { notification }));
    });
    await waitFor('Sent to 1, shown by 1, opened by 1.');
    if (process.env['PICTURES'])
      await page.screenshot({ path: join(import.meta.dirname, '../../examples/web-push/picture.png') });
  });

  it('are refused with the reason when they are too long', async () => {
    await page.getByLabel('Title').fill('x'.repeat(10_000));
    await page.getByText('Send').click();
    await waitFor('Must not be larger than the push service accepts');
    expect(vendor.received).toHaveLength(1);
  });

  it('report why they could not be sent', async () => {
    await page.getByLabel('Title').fill('News');
    vendor.answerAll({ status: 403 }, { status: 201 });
    await page.getByText('Send').click();
    await waitFor('1 failed: ');
  });

  it('stop after unsubscribing', async () => {
    await page.getByText('No more news').click();
    await waitFor('It gets no notifications.');
    expect(vendor.received).toHaveLength(2);
  });
});
