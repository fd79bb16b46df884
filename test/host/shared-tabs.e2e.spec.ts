import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeChromium, launchChromium } from '../support/chromium.js';
import { Example } from '../support/example.js';
import { hintOf, pageFaults } from '../support/page-faults.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

describeChromium('the example of shared tabs', () => {
  let browser: Browser;
  let example: Example;
  beforeAll(async () => {
    browser = await launchChromium();
    example = await Example.start('shared-tabs');
  });
  afterAll(async () => {
    await browser?.close();
    await example?.stop();
  });

  it.each([
    ['in a worker', ''],
    ['without SharedWorker, in a tab', 'delete globalThis.SharedWorker'],
  ])('has one connection %s, and goes on when the first tab closes', async (_, script) => {
    const context = await browser.newContext();
    await context.addInitScript(script);
    const connection = (page: Page) => page.locator('#connection').innerText();
    const orders = (page: Page) => page.locator('li').allInnerTexts();
    const open = async (): Promise<Page> => {
      const page = await context.newPage();
      await page.goto(example.url);
      await until(async () => /^\d+\.\d+$/.test(await connection(page)), 'it is connected');
      return page;
    };
    const [first, second, third] = [await open(), await open(), await open()];
    const ids = [first, second, third].map(connection);
    expect(new Set(await Promise.all(ids)).size).toBe(1);
    expect(await hintOf(first.locator('ol'))).toBe('"No orders yet. Place one, in any tab."');
    const place = () => second.getByRole('button', { name: 'Place an order' }).click();
    await place();
    for (const page of [first, second, third])
      await until(async () => (await orders(page)).length === 1, 'all show the order');
    await first.close();
    await place();
    for (const page of [second, third]) await until(async () => (await orders(page)).length === 2, 'both go on');
    expect(await orders(third)).toEqual(await orders(second));
    expect(await pageFaults(third)).toEqual([]);
    await context.close();
  });
});
