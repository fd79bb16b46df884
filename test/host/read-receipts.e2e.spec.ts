import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AppModule } from '../../examples/read-receipts/src/app.module.js';
import { describeChromium, launchChromium } from '../support/chromium.js';
import { hintOf, pageFaults } from '../support/page-faults.js';
import { until } from '../support/until.js';

describeChromium('the messages of a team in browsers', () => {
  let app: INestApplication;
  let browser: Browser;
  beforeAll(async () => {
    app = await NestFactory.create(AppModule, { logger: false });
    await app.listen(0, '127.0.0.1');
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  /** @param height of the window: messages below it are not on the screen */
  async function open(name: string, height = 700): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 600, height } });
    await page.goto(`http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}/?name=${name}`);
    await page.waitForFunction(`document.querySelector('h1')`);
    return page;
  }
  const notes = (page: Page) => page.locator('small').allTextContents();

  it('tell who has received and read them', async () => {
    const [alice, bob] = [await open('Alice'), await open('Bob', 40)];
    expect(await hintOf(alice.locator('ol'))).toMatch(/^"No messages yet\. Send one, and be Bob in a second tab: /);
    await until(async () => {
      await alice.getByLabel('Message').fill('Lunch?');
      await alice.getByText('Send').click();
      return (await bob.locator('li').count()) > 0;
    }, 'both hear of messages');
    // Bob's window is too small for it.
    await until(async () => (await notes(alice)).at(-1) === 'received by Bob', 'he has not read it');
    await bob.locator('li').last().scrollIntoViewIfNeeded();
    await until(async () => (await notes(alice)).at(-1) === 'Read by Bob', 'he has read it');
    expect(await notes(bob)).toContain('Read by Bob');
    expect(await pageFaults(alice)).toEqual([]);
  });
});
