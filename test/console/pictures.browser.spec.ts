import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeChromium } from '../support/chromium.js';
import { pushInstance, useConsole } from '../support/console-world.js';
import { joined } from '../support/pusher-js.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 90_000 });

const push = `/instances/${pushInstance.id}`;
type Go = (path: string) => Promise<void>;

/** Every page, brought to where there is something to see. */
const pages: Readonly<Record<string, (page: Page, go: Go) => Promise<unknown>>> = {
  live: (page) => page.getByRole('complementary', { name: 'What happened' }).getByText('"Attic"').waitFor(),
  why: async (page) => {
    await page.getByRole('link', { name: 'Why did it arrive, or not?' }).click();
    await page.getByLabel('User or socket id').fill('alice');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('delivered', { exact: true }).first().waitFor();
  },
  overview: async (page, go) => {
    await go('/');
    await page.getByText('this one').waitFor();
  },
  'event-creator': async (page, go) => {
    await go('/apps/shop/events?channel=orders');
    await page.getByLabel('Template').selectOption('Order changed');
    await page.getByRole('button', { name: 'Send event' }).click();
    await page.getByText('sent', { exact: true }).waitFor();
  },
  connections: async (page, go) => {
    await go('/apps/shop/connections');
    await page.locator('.list-row').filter({ hasText: 'alice' }).first().click();
    await page.getByRole('link', { name: 'presence-team' }).waitFor();
  },
  // Lower down, beside the same list.
  connection: async (page) => {
    await page.getByRole('complementary').getByText('Complete since').scrollIntoViewIfNeeded();
  },
  user: async (page, go) => {
    await go('/apps/shop/users/alice');
    await page.getByRole('region', { name: 'Activity' }).getByText('Complete since').waitFor();
  },
  channels: async (page, go) => {
    await go('/apps/shop/channels/presence-team');
    await page.getByText('Alice Munro').waitFor();
  },
  webhooks: async (page, go) => {
    await go('/apps/shop/webhooks?show=attempts');
    await page.getByRole('gridcell', { name: 'channel_occupied' }).first().waitFor();
  },
  devices: async (page, go) => {
    await go(`${push}/devices?interest=hello`);
    await page.locator('.list-row').first().click();
    await page.getByRole('link', { name: 'orders' }).waitFor();
  },
  composer: async (page, go) => {
    await go(`${push}/composer?interests=hello`);
    await page.getByRole('textbox', { name: 'Title' }).fill('Hello');
    await page.getByRole('textbox', { name: 'Text' }).fill('Your order is on its way.');
    await page.getByRole('region', { name: 'Preview' }).getByText('Your order is on its way.').nth(2).waitFor();
  },
  publishes: async (page, go) => {
    await go(`${push}/composer?interests=hello`);
    await page.getByRole('textbox', { name: 'Title' }).fill('Hello');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('complementary', { name: 'Publish' }).getByText('3 sent').waitFor();
  },
  settings: async (page, go) => {
    await go('/settings');
    await page.getByRole('button', { name: 'shop configuration' }).click();
    await page.getByText('This app is part of the configuration file').waitFor();
    // What cannot be changed here does not look like a field.
    const border =
      "getComputedStyle(document.querySelector('[data-setting] input:disabled:not([type=checkbox])')).borderTopColor";
    expect(await page.evaluate(border)).toBe('rgba(0, 0, 0, 0)');
    // Nor does it have an example, which would look like a value.
    const example = "getComputedStyle(document.querySelector(':disabled[placeholder]'), '::placeholder').color";
    expect(await page.evaluate(example)).toBe('rgba(0, 0, 0, 0)');
  },
};

/** What an hour of a busy server looks like, for pictures. */
function sampleHour() {
  const series = (of: (index: number) => number) => Array.from({ length: 360 }, (_, index) => of(index));
  const wave = (index: number, length: number) => Math.sin(index / length) + Math.sin(index / (length * 2.7)) / 2;
  return {
    stepSeconds: 10,
    until: Date.now(),
    series: {
      connections: series((index) => Math.round(2900 + 420 * wave(index, 38) + index)),
      triggers: series((index) => 120 + 25 * wave(index, 11) + (index % 7)),
      messages: series((index) => 8600 + 1500 * wave(index, 13) + 60 * (index % 5)),
      webhooksFailed: series((index) => (index > 200 && index < 214 ? 3 : 0)),
      closedAsSlow: series((index) => (index % 140 === 90 ? 1 : 0)),
      errors: series((index) => (index % 45 === 12 ? 2 : 0)),
    },
  };
}

describeChromium('every page of the console', () => {
  const world = useConsole();
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    for (const [id, name] of [
      ['alice', 'Alice Munro'],
      ['bob', 'Bob Dylan'],
      ['carol', 'Carol Danvers'],
    ] as const) {
      const client = world().client(id, { name });
      client.signin();
      await Promise.all(['orders', 'presence-team', `private-user-${id}`].map((channel) => joined(client, channel)));
    }
    for (const token of ['pixel-9', 'galaxy-s26', 'fairphone-6']) await world().registered(token, ['hello', 'orders']);
  });
  afterAll(() => Promise.all(contexts.map((context) => context.close())));

  /** Some minutes of a shop, while a page looks. */
  async function business(page: Page, by: string): Promise<void> {
    const visitor = world().client('dave', { name: 'Dave Eggers' });
    const chat = await joined(visitor, `presence-chat-${crypto.randomUUID().slice(0, 4)}`);
    chat.trigger('client-typing', { typing: true });
    const statuses = ['paid', 'packed', 'shipped', 'delivered'];
    for (const [index, status] of statuses.entries())
      await world()
        .pusher()
        .trigger('orders', 'order.updated', { orderId: 1042 + index, status });
    visitor.disconnect();
    await world().pusher().trigger('presence-team', 'meeting.moved', { at: '15:00', room: 'Attic', by });
    // Before a line is opened: then the list stays where it is, and lines that come later are above what it shows.
    await page.locator('.list-row').filter({ hasText: 'webhook' }).first().waitFor();
    // The line of this time, not of the time before. One that comes meanwhile may take its place under the mouse.
    const line = page.locator('.list-row').filter({ hasText: 'meeting.moved' }).filter({ hasText: by }).first();
    const isOpen = () => page.getByRole('complementary', { name: 'What happened' }).getByText('"Attic"').isVisible();
    await until(async () => (await isOpen()) || (await line.click(), isOpen()), 'the line is open');
  }

  it.each(['light', 'dark'] as const)('can be read from 400 to 1600 pixels in %s', async (colorScheme) => {
    const context = await world().visitor({ colorScheme, reducedMotion: 'reduce' });
    contexts.push(context);
    const page = await world().open(context, '/apps/shop/live');
    // The server has run for seconds; its pictures show an hour.
    await page.route(/api\/charts(\?.*)?$/, (route) => route.fulfill({ json: sampleHour() }));
    await page.locator('.pulse').getByText('Live').waitFor();
    await business(page, colorScheme === 'light' ? 'alice' : 'bob');
    for (const [name, show] of Object.entries(pages)) {
      await show(page, async (path) => void (await page.goto(world().address(path))));
      await world().picture(page, `${name}-${colorScheme}`);
      for (const width of [400, 1600]) {
        await page.setViewportSize({ width, height: 800 });
        const scrollWidth = await page.evaluate('document.documentElement.scrollWidth');
        expect([name, width, scrollWidth]).toEqual([name, width, width]);
        if (width === 400) await world().picture(page, `${name}-${colorScheme}-400`);
      }
      await page.setViewportSize({ width: 1280, height: 800 });
    }
  });
});
