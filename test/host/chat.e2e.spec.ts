import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeChromium, launchChromium } from '../support/chromium.js';
import { hintOf, pageFaults } from '../support/page-faults.js';
import { until } from '../support/until.js';
import { AppModule } from '../../examples/chat/src/app.module.js';

vi.setConfig({ testTimeout: 60_000 });

describeChromium('a chat of two people in browsers', () => {
  let app: INestApplication;
  let browser: Browser;
  let alice: Page;
  let bob: Page;

  beforeAll(async () => {
    app = await NestFactory.create(AppModule, { logger: false });
    await app.listen(0, '127.0.0.1');
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const url = () => `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;

  async function comeIn(name: string): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 720, height: 480 } });
    await page.goto(url());
    await page.getByLabel('Your name').fill(name);
    await page.getByText('Come in').click();
    await until(async () => (await members(page)).includes(name), `${name} is in`);
    return page;
  }
  const members = (page: Page) => page.locator('#members li').allTextContents();
  const lines = (page: Page) => page.locator('#lines li').allTextContents();
  const shows = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

  it('tells a visitor what to do', async () => {
    const visitor = await browser.newPage({ viewport: { width: 720, height: 480 } });
    await visitor.goto(url());
    expect(await hintOf(visitor.locator('#lines'))).toBe('"Type your name to come in."');
    expect(await pageFaults(visitor)).toEqual([]);
    await visitor.close();
  });

  it('shows the members', async () => {
    alice = await comeIn('Alice');
    bob = await comeIn('Bob');
    await until(async () => (await members(alice)).join() === 'Alice,Bob', 'Alice sees Bob');
    await shows(alice, 'Bob came in');
  });

  it('shows typing members and messages', async () => {
    await alice.getByLabel('Say something').pressSequentially('Is there tea?');
    await shows(bob, 'Alice is typing …');
    await alice.getByText('Send').click();
    await bob.getByText('Is there tea?').waitFor();
    // At once, not when the three seconds of her last key are over.
    expect(await bob.locator('#typing').textContent()).toBe('');
    await bob.getByLabel('Say something').fill('There is. The blue pot.');
    await bob.getByText('Send').click();
    await alice.getByText('The blue pot.').waitFor();
    await alice.getByLabel('Say something').fill('Thank you!');
    await alice.getByText('Send').click();
    await bob.getByText('Thank you!').waitFor();
    expect((await lines(alice)).slice(-3)).toEqual([
      'AliceIs there tea?',
      'BobThere is. The blue pot.',
      'AliceThank you!',
    ]);
    expect(await pageFaults(alice)).toEqual([]);
  });

  it('keeps the messages of each room for later members', async () => {
    const carol = await comeIn('Carol');
    await carol.getByText('Is there tea?').waitFor();
    if (process.env['PICTURES']) {
      await bob.getByLabel('Say something').pressSequentially('Any');
      await shows(alice, 'Bob is typing …');
      await alice.screenshot({ path: join(import.meta.dirname, '../../examples/chat/picture.png') });
    }
    await carol.getByRole('button', { name: 'garden' }).click();
    await shows(carol, 'Carol came in');
    expect(await lines(carol)).toEqual(['Carol came in']);
    await shows(alice, 'Carol left');
  });

  it('notifies users mentioned with an @ in another room, until they read it', async () => {
    const carol = await comeIn('Carla');
    await carol.getByRole('button', { name: 'roof' }).click();
    await shows(carol, 'Carla came in');
    const mention = carol.getByRole('button', { name: 'Alice: Tea, @Carla!' });
    // Her page has signed in a moment after she came in.
    await until(
      async () => {
        await alice.getByLabel('Say something').fill('Tea, @Carla!');
        await alice.getByText('Send').click();
        return mention.waitFor({ timeout: 2000 }).then(
          () => true,
          () => false,
        );
      },
      'Carla is told',
      40_000,
    );
    await mention.click();
    await carol.getByText('The blue pot.').waitFor();
    await mention.waitFor({ state: 'detached' });
  });
});
