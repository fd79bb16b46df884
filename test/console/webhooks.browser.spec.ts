import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeChromium } from '../support/chromium.js';
import { clicksOf } from '../support/clicks.js';
import { useConsole } from '../support/console-world.js';
import { joined } from '../support/pusher-js.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 60_000 });

describeChromium("the console's page of webhooks", () => {
  const world = useConsole();
  let context: BrowserContext;
  let page: Page;
  const tab = (name: RegExp) => page.getByRole('group', { name: 'What to show' }).getByRole('button', { name });
  const row = (text: string) => page.getByRole('grid').locator('.list-row').filter({ hasText: text }).first();

  beforeAll(async () => {
    await world().ask('POST', 'admin/apps', { id: 'hooked', key: 'hooked-key' });
    context = await world().visitor();
    page = await world().open(context, '/apps/hooked/webhooks');
  });
  afterAll(() => context?.close());

  it('leads from no webhook to a tested one in five clicks', async () => {
    await page.getByText('This app has no webhooks').waitFor();
    const clicks = await clicksOf(page, async () => {
      await page.getByRole('link', { name: 'Add a webhook' }).click();
      await page.getByRole('button', { name: 'Add a webhook' }).click();
      await page
        .getByRole('group', { name: 'Webhook 1' })
        .getByLabel('URL')
        .fill(world().receiver.url('/mine?token=s3cr3t'));
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('The endpoint accepted the test').waitFor();
    });
    expect(clicks).toBe(5);
    expect(world().receiver.events('/mine?token=s3cr3t')).toEqual([
      { name: 'channel_occupied', channel: 'rookery-test' },
    ]);
    expect((await page.content()).includes('s3cr3t')).toBe(false);
    await page.getByLabel('Payload of the webhook').getByText('"rookery-test"').waitFor();
  });

  it('shows what a failing endpoint answered', async () => {
    world().receiver.reply('/mine?token=s3cr3t', (response) => void response.writeHead(500).end('no room left'));
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The test failed: it answered 500').waitFor();
    await page.getByText('no room left').waitFor();
    await world().picture(page, 'webhooks-endpoints');
    await tab(/Attempts/).click();
    await row('500').click();
    const detail = page.getByRole('complementary', { name: 'Attempt' });
    await detail.getByText('no room left').waitFor();
    await detail.getByLabel('Payload of the webhook').getByText('"rookery-test"').waitFor();
    await world().picture(page, 'webhooks-attempts');
  });

  it('filters attempts, and shows failing endpoints in the menu and the overview', async () => {
    await page.getByText('Only failed ones').click();
    await row('200').waitFor({ state: 'detached' });
    await row('500').waitFor();
    await tab(/Endpoints/).click();
    await page
      .getByText(/^It has failed since .*: it answered 500\..* 1 attempt failed in the last ten minutes\.$/)
      .waitFor();
    await page.getByRole('link', { name: /Webhooks\s*1 failing/ }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    const failing = page.getByRole('region', { name: 'Failing endpoints' });
    await failing.getByText(/of app hooked, has failed since/).waitFor();
    await failing.getByRole('link').first().click();
    await row('500').waitFor();
    world().receiver.reply('/mine?token=s3cr3t', (response) => void response.end());
    await tab(/Endpoints/).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(/^It accepted the last webhook/).waitFor();
  });

  it('counts the given-up webhooks that are kept and dropped, lists the newest first, and sends them again', async () => {
    const path = '/hooks';
    world().receiver.reply(path, (response) => void response.writeHead(503).end('closed for lunch'));
    const client = world().client();
    for (let n = 0; n < 205; n++) client.subscribe(`given-up-${n}`);
    await page.goto(world().address('/apps/shop/webhooks'));
    await tab(/Given up \(200\)/).waitFor();
    // One that is given up later would stand above the last one.
    await until(() => world().receiver.events(path).length === 205, 'all are tried');
    await joined(client, 'the-last-one');
    await tab(/Given up/).click();
    await page.getByText('The latest 200 are kept; 6 older ones were dropped and cannot be sent again.').waitFor();
    await page.getByRole('grid').locator('.list-row').first().click();
    const detail = page.getByRole('complementary', { name: 'Given-up webhook' });
    await detail.getByText('it answered 503: closed for lunch').waitFor();
    await detail.getByLabel('Payload of the webhook').getByText('"the-last-one"').waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await world().picture(page, 'webhooks-given-up-detail-narrow');
    await page.keyboard.press('Escape');
    await detail.waitFor({ state: 'detached' });
    await world().picture(page, 'webhooks-given-up-narrow');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await tab(/Endpoints/).click();
    await world().picture(page, 'webhooks-endpoints-narrow');
    await tab(/Given up/).click();
    await page.setViewportSize({ width: 1280, height: 800 });
    await world().picture(page, 'webhooks-given-up');

    world().receiver.reply(path, (response) => void response.end());
    world().receiver.received.splice(0);
    await page.getByRole('grid').locator('.list-row').first().click();
    await detail.getByRole('button', { name: 'Send again' }).click();
    await tab(/Given up \(199\)/).waitFor();
    await until(() => world().receiver.events(path).length > 0, 'it arrives');
    expect(world().receiver.events(path)).toEqual([{ name: 'channel_occupied', channel: 'the-last-one' }]);
    await page.getByRole('button', { name: 'Send all again' }).click();
    await page
      .getByRole('dialog', { name: 'Send 199 webhooks again?' })
      .getByRole('button', { name: 'Send all again' })
      .click();
    await page.getByText('No webhook was given up').waitFor();
    await until(() => world().receiver.events(path).length === 200, 'all arrive');
  });

  it('is one line of Live for an endpoint that fails, and may be left out', async () => {
    world().receiver.reply('/mine?token=s3cr3t', (response) => void response.writeHead(500).end('no room left'));
    await page.goto(world().address('/apps/hooked/webhooks'));
    for (let attempt = 0; attempt < 2; attempt++) {
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('The test failed: it answered 500').waitFor();
      await page.reload();
    }
    await page.goto(world().address('/apps/hooked/live'));
    const failed = row('/mine, and 1 earlier attempt');
    expect(await failed.locator('.badge.bad').textContent()).toBe('webhook');
    await world().picture(page, 'live-failing-webhook');
    await page.getByRole('button', { name: 'All kinds' }).click();
    await page.getByLabel('webhook').check();
    await page.getByRole('button', { name: 'All but these' }).click();
    await page.getByRole('button', { name: 'All but webhook' }).waitFor();
    await failed.waitFor({ state: 'detached' });
  });

  it('log no error and no policy violation', () => expect(world().complaints).toEqual([]));
});
