import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { EventsService } from 'rookery/channels';
import { AppModule } from '../../examples/two-players/src/app.module.js';
import { accessibilityFaults } from '../support/accessibility.js';
import { describeChromium, launchChromium } from '../support/chromium.js';
import { RoughProxy } from '../support/rough-proxy.js';
import { buildModules } from '../support/server-process.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

describeChromium('a game of two players in browsers', () => {
  let app: INestApplication;
  let browser: Browser;
  let port: number;
  beforeAll(async () => {
    // The page imports what applications install.
    await buildModules();
    app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
    await app.listen(0, '127.0.0.1');
    ({ port } = app.getHttpServer().address() as AddressInfo);
    browser = await launchChromium();
  });
  afterEach(() => void vi.restoreAllMocks());
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  async function open(name: string, game: string, at = port): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 560, height: 560 } });
    page.setDefaultTimeout(30_000);
    await page.goto(`http://127.0.0.1:${at}/#${game}`);
    await page.getByLabel('Your name').fill(name);
    await page.getByRole('button', { name: 'Play' }).click();
    return page;
  }
  const press = (page: Page, field: number) => page.locator('#board button').nth(field).click();
  const says = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();
  /** Waits until the page shows the nine fields, `.` for a free one. */
  async function shows(page: Page, ...board: readonly string[]): Promise<void> {
    await expect.poll(() => boardOf(page), { timeout: 30_000 }).toBe(board.join(' '));
  }
  async function boardOf(page: Page): Promise<string> {
    const fields = (await page.locator('#board button').allTextContents()).map((mark) => mark || '.');
    return [0, 3, 6].map((first) => fields.slice(first, first + 3).join('')).join(' ');
  }

  it('is played to its end, is watched, and begins again', async () => {
    const [alice, bob] = [await open('Alice', 'garden'), await open('Bob', 'garden')];
    await says(alice, 'Make a move to play ✕');
    await says(bob, 'In this game: Alice, Bob');
    for (const [player, field] of [
      [alice, 4],
      [bob, 0],
      [alice, 2],
      [bob, 8],
    ] as const) {
      await player.getByText(/^(Your move|Make a move to play)/).waitFor();
      await press(player, field);
    }
    await says(alice, 'Your move: ✕');
    await says(bob, 'Alice’s move: ✕');
    await press(alice, 6);
    await says(alice, 'You have won');
    await says(bob, 'Alice has won');
    const late = await open('Carol', 'garden');
    for (const page of [alice, bob, late]) await shows(page, '◯.✕', '.✕.', '✕.◯');
    await says(late, 'Alice has won');
    expect(await late.getByRole('button', { name: 'Play again' }).count()).toBe(0);
    expect(await alice.locator('#board .won').count()).toBe(3);
    expect(await alice.getByRole('button', { name: 'Row 2, column 2: ✕' }).count()).toBe(1);
    if (process.env['PICTURES'])
      await alice.screenshot({ path: join(import.meta.dirname, '../../examples/two-players/picture.png') });
    await bob.getByRole('button', { name: 'Play again' }).click();
    for (const page of [alice, bob, late]) await shows(page, '...', '...', '...');
  });

  it('tells a player alone why a move is not allowed', async () => {
    const [alice, bob, carol] = [await open('Alice', 'roof'), await open('Bob', 'roof'), await open('Carol', 'roof')];
    const refused = async (page: Page, field: number, why: string): Promise<void> => {
      await press(page, field);
      await page.getByRole('alert').getByText(why, { exact: true }).waitFor();
    };
    await press(alice, 4);
    await says(alice, 'Waiting for a second player. Open this page in another tab.');
    await refused(alice, 0, "It is the second player's turn");
    await says(bob, 'Make a move to play ◯');
    await refused(bob, 4, 'This field is taken');
    await press(bob, 0);
    await says(alice, 'Your move: ✕');
    await refused(bob, 1, "It is Alice's turn");
    await refused(carol, 1, 'Alice and Bob are playing');
    for (const page of [alice, bob, carol]) await shows(page, '◯..', '.✕.', '...');
    expect(await alice.getByRole('alert').textContent()).toBe("It is the second player's turn");
  });

  it('makes a move once whose reply was lost with the connection', async () => {
    const proxy = await RoughProxy.start(() => port);
    const [alice, bob] = [await open('Alice', 'train', proxy.port), await open('Bob', 'train')];
    await says(bob, 'In this game: Alice, Bob');
    const events = app.get(EventsService);
    const trigger = events.trigger.bind(events);
    let reply = (): void => {};
    const isHeld = new Promise<void>((resolve) => (reply = resolve));
    const triggered = vi.spyOn(events, 'trigger').mockImplementation(async (...asked) => {
      await isHeld;
      return trigger(...asked);
    });
    await press(alice, 4);
    await expect.poll(() => triggered.mock.calls.length).toBe(1);
    const isBack = alice.waitForEvent('websocket');
    proxy.be('cut');
    await isBack;
    expect(await alice.locator('body[aria-busy=true]').count()).toBe(1);
    reply();
    await alice.locator('body[aria-busy=false]').waitFor();
    for (const page of [alice, bob]) await shows(page, '...', '.✕.', '...');
    expect(triggered).toHaveBeenCalledTimes(1);
    expect(await alice.getByRole('alert').textContent()).toBe('');
    proxy.stop();
  });

  it('has no fault of accessibility, light and dark', async () => {
    const page = await open('Alice', 'hall');
    await press(page, 4);
    await says(page, 'Waiting for a second player. Open this page in another tab.');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityFaults(page, 'all')).toEqual([]);
    }
  });
});
