import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeChromium } from '../support/chromium.js';
import { clicksOf } from '../support/clicks.js';
import { useConsole } from '../support/console-world.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 60_000 });

describeChromium("the console's page of a push instance's webhooks", () => {
  // A publish's webhookUrl to a private address is given up at once.
  const world = useConsole({ ALLOW_PRIVATE_NETWORK: 'false' });
  const instance = { id: '5d1f6c1e-6a31-4c0b-8a2e-0f9a4c6d7e11', secretKey: 'a-secret-key' };
  let context: BrowserContext;
  let page: Page;
  const tab = (name: RegExp) => page.getByRole('group', { name: 'What to show' }).getByRole('button', { name });
  const rows = () => page.getByRole('grid').locator('.list-row');

  beforeAll(async () => {
    await world().ask('POST', 'admin/instances', instance);
    context = await world().visitor();
    page = await world().open(context, `/instances/${instance.id}/webhooks`);
  });
  afterAll(() => context?.close());

  it('leads from no webhook to a tested one in six clicks', async () => {
    await page.getByText('This instance has no webhooks').waitFor();
    const clicks = await clicksOf(page, async () => {
      await page.getByRole('link', { name: 'Add a webhook' }).click();
      await page.getByRole('button', { name: 'Add a webhook' }).click();
      const form = page.getByRole('group', { name: 'Webhook 1' });
      await form.getByLabel('URL').fill(world().receiver.url('/opened'));
      await form.getByLabel('Secret').fill('shh');
      await form.getByLabel('v1.UserNotificationOpen').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      await page.getByRole('link', { name: 'Push webhooks' }).click();
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('The endpoint accepted the test').waitFor();
    });
    expect(clicks).toBe(6);
    const [received] = world().receiver.at('/opened');
    expect(received?.headers['webhook-event-type']).toBe('v1.UserNotificationOpen');
    expect(JSON.parse(received!.rawBody)).toMatchObject({ payload: { instance_id: instance.id } });
    await world().picture(page, 'push-webhooks');
  });

  it('shows what a failing endpoint answered, newest first', async () => {
    world().receiver.reply('/opened', (response) => void response.writeHead(500).end('no room left'));
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The test failed: it answered 500').waitFor();
    await tab(/Attempts/).click();
    await until(async () => (await rows().count()) === 2, 'both attempts are listed');
    await rows().first().click();
    const detail = page.getByRole('complementary', { name: 'Attempt' });
    await detail.getByText('no room left').waitFor();
    await detail.getByLabel('Payload of the webhook').getByText('"v1.UserNotificationOpen"').waitFor();
  });

  it('counts given-up webhooks of publishes, with their payload, and sends all again', async () => {
    const webhookUrl = world().receiver.url('/publishes');
    const answer = await fetch(`${world().server.url}/publish_api/v1/instances/${instance.id}/publishes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${instance.secretKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ interests: ['hello'], webhookUrl, fcm: { data: { n: '1' } } }),
    });
    const { publishId } = (await answer.json()) as { publishId: string };
    await tab(/Given up \(2\)/).click();
    await rows().filter({ hasText: 'STARTED' }).click();
    const detail = page.getByRole('complementary', { name: 'Given-up webhook' });
    await detail.getByText('has no public address').waitFor();
    await detail.getByLabel('Payload of the webhook').getByText(publishId).first().waitFor();
    await page.getByRole('button', { name: 'Send all again' }).click();
    await page
      .getByRole('dialog', { name: 'Send 2 webhooks again?' })
      .getByRole('button', { name: 'Send all again' })
      .click();
    await page.getByText('All are sent again.').waitFor();
    await tab(/Attempts/).click();
    await until(async () => (await rows().filter({ hasText: 'STARTED' }).count()) === 2, 'they are tried again');
    await tab(/Given up \(2\)/).waitFor();
  });

  it('log no error and no policy violation', () => expect(world().complaints).toEqual([]));
});
