import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeChromium } from '../support/chromium.js';
import { pushInstance, useConsole } from '../support/console-world.js';
import { fcmError } from '../support/stand-ins/index.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 60_000 });

describeChromium("the console's pages of a push instance and of what is administered", () => {
  const world = useConsole();
  const base = `/instances/${pushInstance.id}`;
  let context: BrowserContext;
  let page: Page;
  const go = (path: string) => page.goto(world().address(base + path));
  const row = (text: string) => page.getByRole('grid').locator('.list-row').filter({ hasText: text }).first();

  let devices: readonly string[];
  beforeAll(async () => {
    context = await world().visitor();
    page = await world().open(context, `${base}/devices`);
    devices = await Promise.all(['good', 'gone', 'old'].map((token) => world().registered(token, ['hello', 'orders'])));
    world().google.answer('gone', fcmError(404, 'NOT_FOUND', { errorCode: 'UNREGISTERED' }));
  });
  afterAll(() => context?.close());

  it('find devices by interest and id', async () => {
    await page.getByText('Which devices?').waitFor();
    await page.getByLabel('Interest to find').fill('hello');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    for (const id of devices) await row(id).waitFor();
    expect(new URL(page.url()).search).toBe('?interest=hello');
    await row(devices[0]!).click();
    await page.getByRole('complementary', { name: 'Device' }).getByRole('link', { name: 'orders' }).waitFor();
    await go(`/devices?device=${devices[1]}`);
    await row(devices[1]!).waitFor();
    expect(await page.locator('.list-row').count()).toBe(1);
    await go('/devices?interest=nobody-wants-it');
    await page.getByText('No matching device').waitFor();
  });

  it('remove a device', async () => {
    await go(`/devices/${devices[2]}?interest=hello`);
    await page.getByRole('button', { name: 'Remove device' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove device' }).click();
    await page.getByText('The device was removed.').waitFor();
    await until(
      async () => (await page.locator('.list-row').filter({ hasText: devices[2]! }).count()) === 0,
      'it is gone',
    );
  });

  it('create an app, show its secret once, and disable it', async () => {
    await page.goto(world().address('/settings'));
    await page.getByRole('button', { name: 'New app' }).click();
    await page.getByLabel('Id').fill('made-here');
    await page.getByRole('button', { name: 'Create' }).click();
    const told = page.getByRole('dialog', { name: 'Store these credentials' });
    await told.getByRole('button', { name: 'I have stored them' }).waitFor();
    const [, key = '', secret = ''] = await told.locator('code').allTextContents();
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    await told.getByRole('button', { name: 'I have stored them' }).click();
    await page.getByRole('heading', { name: 'made-here' }).waitFor();
    expect(await page.content()).not.toContain(secret);

    const client = world().client('alice', {}, key);
    await until(() => client.connection.state === 'connected', 'a client connects with the key');
    await page.getByRole('checkbox', { name: 'Client events' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable it' }).click();
    await page.getByText('Disabled.').waitFor();
    await until(() => client.connection.state !== 'connected', 'the client is sent away');
  });

  it("preview each gateway's request, and publish it", async () => {
    await go('/composer');
    await page.getByRole('textbox', { name: 'Title' }).fill('On its way <b>now</b>');
    await page.getByRole('region', { name: 'Preview' }).getByText('On its way <b>now</b>').first().waitFor();
    await page.getByRole('button', { name: 'Android' }).click();
    await page.getByLabel('Request to the gateway').getByText('"On its way <b>now</b>"').waitFor();
    await page.getByLabel('Body for Android').fill('{ "notification": ');
    await page.getByText('Not valid JSON:').waitFor();
    expect(await page.getByRole('button', { name: 'Publish' }).isDisabled()).toBe(true);
    await page.getByLabel('Body for Android').fill('{ "notification": { "title": "Shipped" } }');
    await page.getByRole('region', { name: 'Preview' }).getByText('Shipped').waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();

    await until(() => world().google.received.some(({ token }) => token === 'good'), 'Google is sent it');
    expect(world().google.received.find(({ token }) => token === 'good')?.message).toMatchObject({
      notification: { title: 'Shipped' },
    });
  });

  it("show the progress of a publish, and each device's outcome", async () => {
    const detail = page.getByRole('complementary', { name: 'Publish' });
    await detail.getByText('done').first().waitFor();
    await detail.getByText('1 sent, 1 failed').waitFor();
    for (const id of devices.slice(0, 2)) await detail.getByText(id).waitFor();
    await detail.getByText('unregistered', { exact: false }).first().waitFor();
    for (const title of ['Publishes', 'Sent', 'Failed'])
      await page.getByRole('region', { name: 'The last hour' }).getByRole('heading', { name: title }).waitFor();
  });

  it('log no error and no policy violation', () => expect(world().complaints).toEqual([]));
});
