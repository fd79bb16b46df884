import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeChromium, launchChromium } from '../support/chromium.js';
import { pageFaults } from '../support/page-faults.js';
import { until } from '../support/until.js';
import { buildModules } from '../support/server-process.js';
import { AppModule } from '../../examples/live-orders/src/app.module.js';

vi.setConfig({ testTimeout: 60_000 });

describeChromium('a bakery and its customers in browsers', () => {
  let app: INestApplication;
  let browser: Browser;
  let alice: Page;
  let bakery: Page;

  beforeAll(async () => {
    // The page imports what applications install.
    await buildModules();
    app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
    await app.listen(0, '127.0.0.1');
    browser = await launchChromium();
    [alice, bakery] = [await open('Alice'), await open('The bakery')];
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const url = () => `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;

  async function open(who: string): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 640, height: 360 } });
    await page.goto(url());
    await page.getByRole('button', { name: who }).click();
    return page;
  }
  const press = (page: Page, name: string) => page.getByRole('button', { name }).first().click();
  const rows = (page: Page) => page.locator('tbody tr').allInnerTexts();
  const shows = (page: Page, ...wanted: string[]) =>
    until(
      async () => (await rows(page)).map((row) => row.split('\t').slice(0, 4).join(' ')).join() === wanted.join(),
      `the page shows ${wanted.join()}`,
      30_000,
    );

  it('says what to do while there are no orders', async () => {
    await alice.getByText('You have no orders yet. Order bread.').waitFor();
    await bakery.getByText('No orders yet. Order as Alice or Bob, in another tab.').waitFor();
    const visitor = await browser.newPage({ viewport: { width: 640, height: 360 } });
    await visitor.goto(url());
    await visitor.getByText('Who are you? Be Alice here, and the bakery in a second tab.').waitFor();
    expect(await pageFaults(visitor)).toEqual([]);
    await visitor.close();
  });

  it('shows an order to both when it is placed and when it progresses', async () => {
    await press(alice, 'Order bread');
    await shows(alice, '1 alice bread placed');
    await shows(bakery, '1 alice bread placed');
    await press(bakery, 'Next');
    await shows(alice, '1 alice bread in the oven');
    await press(alice, 'Order the last cake');
    await shows(bakery, '2 alice cake placed', '1 alice bread in the oven');
    expect(await pageFaults(bakery)).toEqual([]);
    if (process.env['PICTURES'])
      await bakery.screenshot({ path: join(import.meta.dirname, '../../examples/live-orders/picture.png') });
  });

  it('shows no order that was rolled back', async () => {
    await press(alice, 'Order the last cake');
    await alice.getByText('There is no cake left').waitFor();
    await press(alice, 'Order bread');
    await shows(bakery, '3 alice bread placed', '2 alice cake placed', '1 alice bread in the oven');
    expect(await app.get(DataSource).query('SELECT id FROM "order" ORDER BY id')).toEqual([
      { id: 1 },
      { id: 2 },
      { id: 3 },
    ]);
  });

  it('shows no customer the orders of others', async () => {
    const bob = await open('Bob');
    await press(bob, 'Order bread');
    await shows(bob, '4 bob bread placed');
    await shows(alice, '3 alice bread placed', '2 alice cake placed', '1 alice bread in the oven');
    const ask = (channel: string) =>
      fetch(`${url()}/pusher/auth`, {
        method: 'POST',
        headers: { authorization: 'Bearer bob' },
        body: new URLSearchParams({ socket_id: '1.1', channel_name: channel }),
      });
    expect((await ask('private-customer.bob')).status).toBe(200);
    expect((await ask('private-customer.alice')).status).toBe(403);
    expect((await ask('private-bakery')).status).toBe(403);
  });
});
