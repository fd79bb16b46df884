import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeChromium } from '../support/chromium.js';
import { clicksOf } from '../support/clicks.js';
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
    await page.reload();
    for (const id of devices) await row(id).waitFor();
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
    expect(await page.getByRole('button', { name: 'Publish' }).isDisabled()).toBe(true);
    await page.getByLabel('Interests', { exact: true }).fill('hello');
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
    const question = page.getByRole('dialog', { name: 'Send to 2 devices?' });
    await question.getByText('0; the instance has no credentials').first().waitFor();
    await question.getByText('Interests: hello').waitFor();
    await question.getByText('On its way <b>now</b> · Shipped').waitFor();
    await world().picture(page, 'publish-reach');
    expect(world().google.received).toEqual([]);
    await question.getByRole('button', { name: 'Send' }).click();

    await until(() => world().google.received.some(({ token }) => token === 'good'), 'Google is sent it');
    expect(world().google.received.find(({ token }) => token === 'good')?.message).toMatchObject({
      notification: { title: 'Shipped' },
    });
  });

  it("show the progress of a publish, and each device's outcome", async () => {
    const detail = page.getByRole('complementary', { name: 'Publish' });
    await detail.getByText('partly sent').first().waitFor();
    await detail.getByText('1 sent, 1 failed').waitFor();
    await world().picture(page, 'publish-detail');
    for (const id of devices.slice(0, 2)) await detail.getByText(id).waitFor();
    await detail.getByText('unregistered', { exact: false }).first().waitFor();
    for (const title of ['Publishes', 'Sent', 'Failed'])
      await page.getByRole('region', { name: 'The last hour' }).getByRole('heading', { name: title }).waitFor();
  });

  it('filter the outcomes', async () => {
    const detail = page.getByRole('complementary', { name: 'Publish' });
    await detail.getByRole('button', { name: 'Failed' }).click();
    await until(async () => (await detail.locator('ul.sent li').count()) === 1, 'the failed one is left');
    await detail.getByText(devices[1]!).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await world().picture(page, 'publish-detail-narrow');
    await page.keyboard.press('Escape');
    await row('On its way').getByText('partly sent').waitFor();
    await world().picture(page, 'publishes-narrow');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('schedule a publish, and cancel it in three clicks', async () => {
    await go('/composer?interests=hello');
    await page.getByRole('textbox', { name: 'Title' }).fill('Much later');
    await page.getByRole('button', { name: 'At a time' }).click();
    await page.getByRole('button', { name: 'Schedule' }).click();
    const question = page.getByRole('dialog', { name: /Schedule to \d devices?\?/ });
    await question.getByRole('button', { name: 'Schedule' }).click();
    await page.getByText('Scheduled.').waitFor();
    await go('/publishes');
    await row('Much later').getByText('waiting').waitFor();
    await row('Much later')
      .getByText(/in \d+ (min|h)/)
      .waitFor();
    await world().picture(page, 'publishes');
    const clicks = await clicksOf(page, async () => {
      await row('Much later').click();
      await page.getByRole('button', { name: 'Cancel the publish' }).click();
      const dialog = page.getByRole('dialog', { name: 'Cancel this publish?' });
      await dialog.getByRole('button', { name: 'Cancel the publish' }).click();
      await page.getByText('Cancelled.').waitFor();
    });
    expect(clicks).toBe(3);
    await row('Much later').getByText('cancelled').waitFor();
  });

  it('warn of a publish that reaches no device', async () => {
    await go('/composer?interests=nobody-has-it');
    await page.getByRole('textbox', { name: 'Title' }).fill('To nobody');
    await page.getByRole('button', { name: 'Publish' }).click();
    const question = page.getByRole('dialog', { name: 'Send to 0 devices?' });
    await question.getByText('No device would get it at the moment.').waitFor();
    await question.getByRole('button', { name: 'Send' }).click();
    const detail = page.getByRole('complementary', { name: 'Publish' });
    await detail.getByText('no devices', { exact: true }).waitFor();
    await detail.getByText('No device was found.').waitFor();
  });

  it.each([
    [500, 'INTERNAL', 'The push service has a problem of its own. You need do nothing: Rookery retries'],
    [429, 'RESOURCE_EXHAUSTED', 'The quota of the Firebase project is used up: Google limits'],
  ])('say what waits after %i %s, why, until when, and what to do', async (code, reason, explanation) => {
    world().google.answer('good', fcmError(code, reason));
    await go('/composer?interests=orders');
    await page.getByRole('textbox', { name: 'Title' }).fill(reason);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    const detail = page.getByRole('complementary', { name: 'Publish' });
    await detail.getByText('retrying', { exact: true }).first().waitFor();
    await detail.getByText(/1 retrying \(next attempt (in \d+ (s|min), at \d\d:\d\d:\d\d|now)\)/).waitFor();
    await detail.getByText(`${reason}, 1 device: ${explanation}`).waitFor();
    await world().picture(page, `publish-retrying-${code}`);
    await page.keyboard.press('Escape');
    await row(reason).getByText('retrying').waitFor();
  });

  it('show in full why a platform cannot be reached', async () => {
    world().google.answer('good', fcmError(403, 'PERMISSION_DENIED', { message: `The project ${'x'.repeat(80)}` }));
    await go('/composer?interests=orders');
    await page.getByRole('textbox', { name: 'Title' }).fill('Faulty');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    const detail = page.getByRole('complementary', { name: 'Publish' });
    const fault = detail.locator('.platform .note.bad');
    await fault.waitFor();
    await detail.getByText('Correct the credentials of the instance. Rookery then sends to the devices').waitFor();
    await world().picture(page, 'publish-fault');
    const [box, pane] = [await fault.boundingBox(), await detail.boundingBox()];
    expect(box!.x + box!.width).toBeLessThanOrEqual(pane!.x + pane!.width);
  });

  it('show how each notification reached its user', async () => {
    const told = async (userId: string, title: string): Promise<string> => {
      const push = { apns: { aps: { alert: { title } } }, fcm: { notification: { title } } };
      const answer = await world()
        .pusher()
        .post({ path: '/notifications', body: { userId, event: { name: 'news', data: { title } }, push } as never });
      return ((await answer.json()) as { id: string }).id;
    };
    const id = await told('ann', 'Your order left');
    await page.goto(world().address('/apps/shop/notifications'));
    await row('Your order left')
      .getByText(/waiting|no device|push is due/)
      .waitFor();
    await until(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      return (await row('Your order left').getByText('no device').count()) > 0;
    }, 'it was pushed, and Ann has no device');
    await world()
      .pusher()
      .post({ path: `/notifications/${id}/read`, body: {} as never });
    await told('bob', 'Another one');
    await page.getByRole('button', { name: 'Refresh' }).click();
    await row('Another one').getByText('not read').waitFor();
    await row('Your order left').click();
    const detail = page.getByRole('complementary', { name: 'Notification' });
    await detail.getByText('Pushed').waitFor();
    const publish = await detail.getByRole('link', { name: /^pubid-/ }).getAttribute('href');
    expect(publish).toContain(`${base}/publishes/pubid-`);
    await world().picture(page, 'notifications');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.keyboard.press('Escape');
    await world().picture(page, 'notifications-narrow');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1280, height: 800 });
    const search = page.getByRole('searchbox', { name: 'User id' });
    await search.fill('bob');
    await row('Your order left').waitFor({ state: 'detached' });
    await row('Another one').click();
    await detail.waitFor();
    await search.press('Escape');
    await row('Your order left').waitFor();
    expect([await search.inputValue(), await detail.isVisible()]).toEqual(['', true]);
    await search.press('Escape');
    await detail.waitFor({ state: 'detached' });
  });

  it('send a test to one device, and show what its gateway answered and its publishes', async () => {
    const detail = page.getByRole('complementary', { name: 'Device' });
    const own = await world().registered('on-my-desk', ['desk']);
    await go(`/devices/${own}`);
    await detail.getByText(/None of the instance's last \d+ publishes/).waitFor();
    await detail.getByRole('button', { name: 'Send a test' }).click();
    await detail.getByText('Google accepted the notification').waitFor();
    await go(`/devices/${await world().registered('gone', ['desk'])}`);
    await detail.getByRole('button', { name: 'Send a test' }).click();
    await detail.getByText('Google no longer knows this device').waitFor();
    const url = `${world().server.url}/publish_api/v1/instances/${pushInstance.id}/publishes/interests`;
    const headers = { authorization: `Bearer ${pushInstance.secretKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ interests: ['desk'], fcm: { notification: { title: 'Ready for you' } } });
    await fetch(url, { method: 'POST', headers, body });
    await go(`/devices/${own}`);
    const publishes = detail.locator('p').filter({ hasText: 'Ready for you' });
    await publishes.getByText('sent', { exact: true }).waitFor();
    await detail.getByText('1 publish in the last hour', { exact: true }).waitFor();
    await publishes.getByRole('link', { name: 'Ready for you' }).click();
    await page.getByRole('complementary', { name: 'Publish' }).getByText('Ready for you').first().waitFor();
    await go('/devices/fcm-of-nobody');
    await detail.getByText('The instance has no device with this id').waitFor();
  });

  it('log no error and no policy violation', () => expect(world().complaints).toEqual([]));
});
