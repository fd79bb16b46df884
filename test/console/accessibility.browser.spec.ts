import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { accessibilityFaults } from '../support/accessibility.js';
import { describeChromium } from '../support/chromium.js';
import { consolePassword, pushInstance, useConsole } from '../support/console-world.js';
import { keyboardFaults, tabTo } from '../support/keyboard.js';
import { joined } from '../support/pusher-js.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 240_000 });

const push = `/instances/${pushInstance.id}`;

/** Presses, and waits for the dialog that it opens. */
const opens = (press: (page: Page) => Promise<unknown>) => async (page: Page) => {
  await press(page);
  await page.getByRole('dialog').waitFor();
};

/** Every page, with something to see, and what is pressed there first. */
const pages: readonly (readonly [path: string, press?: (page: Page) => Promise<unknown>])[] = [
  ['/apps/shop/live', (page) => page.locator('.list-row').first().click()],
  ['/'],
  ['/apps/shop/events?channel=orders'],
  ['/apps/shop/connections', (page) => page.locator('.list-row').first().click()],
  ['/apps/shop/channels'],
  ['/apps/shop/channels/presence-team'],
  ['/apps/shop/users/alice'],
  ['/apps/shop/why'],
  ['/apps/shop/webhooks'],
  ['/apps/shop/webhooks?show=attempts'],
  ['/apps/shop/webhooks?show=dead'],
  ['/apps/shop/notifications'],
  [`${push}/devices?interest=hello`, (page) => page.locator('.list-row').first().click()],
  [`${push}/webhooks`],
  [`${push}/composer`],
  [`${push}/publishes`, (page) => page.locator('.list-row').first().click()],
  ['/settings', (page) => page.getByRole('button', { name: /^shop / }).click()],
  ['/settings?kind=apps&id=shop', (page) => page.getByRole('button', { name: 'Connect', exact: true }).click()],
  [`/settings?kind=instances&id=${pushInstance.id}`],
  [
    `/settings?kind=instances&id=${pushInstance.id}`,
    (page) => page.getByRole('button', { name: 'Connect', exact: true }).click(),
  ],
  ['/settings', opens((page) => page.getByRole('button', { name: 'New app' }).click())],
  ['/push'],
  ['/nowhere'],
  ['/', opens((page) => page.keyboard.press('?'))],
];

describeChromium('the console for everyone', () => {
  const world = useConsole();
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    const alice = world().client('alice', { name: 'Alice Munro' });
    alice.signin();
    // Enough for a list that scrolls.
    const many = Array.from({ length: 60 }, (_, n) => `table-${n}`);
    await Promise.all(['orders', 'presence-team', ...many].map((channel) => joined(alice, channel)));
    await world().registered('pixel-9', ['hello', 'orders']);
    const url = `${world().server.url}/publish_api/v1/instances/${pushInstance.id}/publishes/interests`;
    const headers = { authorization: `Bearer ${pushInstance.secretKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ interests: ['hello'], fcm: { notification: { title: 'Hello' } } });
    await fetch(url, { method: 'POST', headers, body });
  });
  afterAll(() => Promise.all(contexts.map((context) => context.close())));

  async function visitor(colorScheme: 'light' | 'dark', width = 1280): Promise<BrowserContext> {
    const context = await world().visitor({ colorScheme, reducedMotion: 'reduce', viewport: { width, height: 800 } });
    contexts.push(context);
    return context;
  }

  /** What a page shows at last. */
  const isThere = (page: Page) =>
    until(
      async () =>
        (await page.locator('#page').count()) > 0 &&
        (await page.getByRole('status').getByText('Loading').count()) === 0,
      'the page is there',
      30_000,
    );

  it('would notice a fault', async () => {
    const page = await (await visitor('light')).newPage();
    await page.setContent('<h1 style="color: #ccc">Faint</h1><img src="x.png"><div role="button">Press</div>');
    const found = async (rules?: 'colors') =>
      (await accessibilityFaults(page, rules)).map((fault) => fault.split(':')[0]);
    expect(await found()).toEqual(expect.arrayContaining(['color-contrast', 'image-alt', 'html-has-lang']));
    expect(await found('colors')).toEqual(['color-contrast']);
  });

  it.each([
    ['light', 1280, 'all'],
    ['light', 780, 'all'],
    ['light', 390, 'all'],
    ['dark', 1280, 'colors'],
    ['dark', 780, 'colors'],
    ['dark', 390, 'colors'],
  ] as const)(
    'has one h1 on each page, no fault that axe finds, and fits its window: %s, %i px, %s',
    async (theme, width, rules) => {
      const context = await visitor(theme, width);
      const entrance = await context.newPage();
      await entrance.goto(world().address('/'));
      await entrance.getByLabel('Password').waitFor();
      const faults = (await accessibilityFaults(entrance, rules)).map((fault) => `sign in: ${fault}`);
      const headings = [['sign in', await entrance.locator('h1').count()]];
      const page = await world().open(context, '/apps/shop/live');
      await page.locator('.pulse').getByText('Live').waitFor();
      await world().pusher().trigger('orders', 'order.updated', { orderId: 7, status: 'paid' });
      await page.locator('.list-row').first().waitFor();
      for (const [path, press] of pages) {
        // The page of what happens keeps what it has heard.
        if (path !== '/apps/shop/live') await page.goto(world().address(path));
        await isThere(page);
        await press?.(page).catch((error: unknown) => faults.push(`${path}: ${String(error).split('\n')[0]}`));
        headings.push([path, await page.locator('h1').count()]);
        faults.push(...(await accessibilityFaults(page, rules)).map((fault) => `${path}: ${fault}`));
        const shown = await page.evaluate<number>('document.documentElement.scrollWidth');
        if (shown > width) faults.push(`${path}: ${shown} px wide`);
      }
      expect(faults).toEqual([]);
      expect(headings.filter(([, count]) => count !== 1)).toEqual([]);
    },
  );

  it('would notice what only a mouse can press, and a focus that cannot be seen', async () => {
    const page = await (await visitor('light')).newPage();
    const hidden = '<style>button:focus { outline: none }</style><button>Go</button><button tabindex="-1">No</button>';
    await page.setContent(`${hidden}<div style="cursor: pointer">Press</div>`);
    const faults = (await keyboardFaults(page)).map((fault) => fault.split(':')[0]);
    expect(faults).toEqual(['not reached', 'only by mouse', 'focus not seen']);
  });

  it('lets a keyboard reach each control of each page, with a focus that can be seen', async () => {
    const context = await visitor('light');
    const page = await world().open(context, '/');
    const faults: string[] = [];
    for (const [path, press] of pages) {
      await page.goto(world().address(path));
      await isThere(page);
      if (path !== '/apps/shop/live') await press?.(page);
      faults.push(...(await keyboardFaults(page)).map((fault) => `${path}: ${fault}`));
    }
    expect(faults).toEqual([]);
  });

  it('lets a keyboard alone sign in, send an event, ask why, publish, create an app and remove it', async () => {
    const context = await visitor('light');
    const page = await context.newPage();
    const type = (text: string) => page.keyboard.type(text);
    const press = (key: string) => page.keyboard.press(key);
    const go = async (key: string, heading: string): Promise<void> => {
      await page.evaluate('document.activeElement.blur()');
      await press('g');
      await press(key);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    };
    await page.goto(world().address('/apps/shop/events?channel=orders'));
    await page.getByLabel('Password').waitFor();
    await type(consolePassword);
    await press('Enter');
    await page.getByRole('button', { name: 'Send event' }).waitFor();
    await tabTo(page, /^Send event/);
    await press('Enter');
    await page.getByText('sent', { exact: true }).waitFor();

    await go('w', 'Why?');
    await tabTo(page, /^orders|order/);
    await press('Enter');
    await tabTo(page, /^User or socket id/);
    await type('alice');
    await press('Enter');
    await page.getByText('delivered', { exact: true }).first().waitFor();

    await go('d', 'Devices');
    await page.locator('.list-row').first().waitFor();
    await tabTo(page, /^Devices|pixel|fcm/);
    await press('Home');
    await press('Enter');
    await page.getByRole('complementary', { name: 'Device' }).waitFor();

    await go('m', 'Composer');
    await tabTo(page, /^Interests/);
    await type('hello');
    await tabTo(page, /^Title/);
    await type('Hello');
    await tabTo(page, /^Publish$/);
    await press('Enter');
    const question = page.getByRole('dialog');
    await question.getByRole('button', { name: 'Send' }).waitFor();
    await tabTo(page, /^Send/);
    await press('Enter');
    await page.getByRole('complementary', { name: 'Publish' }).waitFor();

    await go('s', 'Apps and instances');
    await tabTo(page, /^New app/);
    await press('Enter');
    await tabTo(page, /^Id/);
    await type('typed');
    await press('Enter');
    await tabTo(page, /^I have stored them/);
    await press('Enter');
    await page.getByRole('heading', { name: 'typed' }).waitFor();
    await tabTo(page, /^Client events/);
    await press('Space');
    await tabTo(page, /^Save/);
    await press('Enter');
    await page.getByText('Saved.').waitFor();
    await tabTo(page, /^Remove$/);
    await press('Enter');
    await page.getByRole('dialog').getByRole('textbox').waitFor();
    await tabTo(page, /^Type/);
    await type('typed');
    await tabTo(page, /^Remove it/);
    await press('Enter');
    await page.getByRole('button', { name: /^typed / }).waitFor({ state: 'detached' });
  });
});
