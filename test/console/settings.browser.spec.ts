import { createECDH, generateKeyPairSync } from 'node:crypto';
import Pusher from 'pusher';
import type { BrowserContext, Dialog, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { instanceSnippets } from '../../apps/console/src/settings/snippets.js';
import { describeChromium } from '../support/chromium.js';
import { clicksOf } from '../support/clicks.js';
import { useConsole } from '../support/console-world.js';
import { standInApns, type StandInApns } from '../support/stand-ins/index.js';
import { joined } from '../support/pusher-js.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 60_000 });

describeChromium('an app in the settings', () => {
  const world = useConsole();
  let context: BrowserContext;
  let page: Page;
  const webhook = (number: number) => page.getByRole('group', { name: `Webhook ${number}` });
  const told = () => page.getByRole('dialog', { name: 'Store these credentials' });
  const save = async (): Promise<void> => {
    const button = page.getByRole('button', { name: 'Save' });
    await button.click();
    await until(() => button.isDisabled(), 'there is nothing more to save');
  };
  /** The credentials that the page tells this once. */
  const kept = async (): Promise<Record<string, string>> => {
    await told().getByRole('button', { name: 'I have stored them' }).waitFor();
    const names = await told().locator('dt').allTextContents();
    const values = await told().locator('code').allTextContents();
    await told().getByRole('button', { name: 'I have stored them' }).click();
    return Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']));
  };
  const libraryWith = ({ key = '', secret = '' }): Pusher => {
    const { port } = world().server;
    return new Pusher({ appId: 'forms', key, secret, host: '127.0.0.1', port: String(port), useTLS: false });
  };
  const statusWith = async (keys: Record<string, string>): Promise<number> =>
    (
      await libraryWith(keys)
        .get({ path: '/channels' })
        .catch((error: { status: number }) => error)
    ).status;
  let credentials: Record<string, string>;

  beforeAll(async () => {
    context = await world().visitor();
    page = await world().open(context, '/settings');
    await page.getByRole('button', { name: 'New app' }).click();
    await page.getByLabel('Id').fill('forms');
    await page.getByRole('button', { name: 'Create' }).click();
    credentials = await kept();
    await page.getByRole('heading', { name: 'forms' }).waitFor();
  });
  afterAll(() => context?.close());

  it('gets a webhook, which is called', async () => {
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await webhook(1).getByLabel('URL').fill('not an address');
    await page.getByText('Enter an http or https URL.').waitFor();
    await webhook(1).getByLabel('URL').fill(world().receiver.url('/forms'));
    await webhook(1).getByRole('checkbox', { name: 'channel_occupied' }).check();
    await save();
    await world().picture(page, 'settings-of-an-app');
    await page.setViewportSize({ width: 400, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(400);
    await world().picture(page, 'settings-of-an-app-narrow');
    await page.setViewportSize({ width: 1280, height: 800 });
    await joined(world().client('alice', {}, credentials['key']), 'told-of');
    await world().receiver.untilEvents('/forms', 1);
  });

  it('keeps one webhook when the other is removed', async () => {
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    await webhook(2).getByLabel('URL').fill('https://example.com/second');
    await webhook(1).getByLabel('Headers').fill('X-First: 1\n');
    await save();
    await webhook(1).getByRole('button', { name: 'Remove webhook' }).click();
    await save();
    expect(await webhook(1).getByLabel('URL').inputValue()).toBe('https://example.com/second');
    expect(await webhook(1).getByLabel('Headers').inputValue()).toBe('');
    expect(await webhook(2).count()).toBe(0);
  });

  it('gets a limit, which is enforced', async () => {
    await page.getByLabel('History seconds').fill('0');
    await page.getByText('Enter a whole number from 1 to 86400.').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.getByLabel('History seconds').fill('');
    await page.getByLabel('Event data bytes').fill('10');
    await save();
    const pusher = libraryWith(credentials);
    await expect(pusher.trigger('c', 'e', 'longer than ten bytes')).rejects.toMatchObject({ status: 413 });
    await page.getByLabel('Event data bytes').fill('');
    await save();
    await until(
      async () => (await pusher.trigger('c', 'e', 'longer than ten bytes').catch(() => undefined))?.status === 200,
      'the limit holds no more',
    );
  });

  it('has fields with units and hints instead of JSON', async () => {
    const texts = await page.evaluate<string[]>(
      `Array.from(document.querySelectorAll('[data-setting] textarea'), ({ value }) => value)`,
    );
    expect(texts.filter((text) => /[{[]|null/.test(text))).toEqual([]);
    await page.getByLabel('Name', { exact: true }).fill('The shop');
    await page.getByLabel('Max connections').fill('500');
    await page.getByLabel('Allowed origins').fill('shop.example\n*.shop.example');
    await page.getByRole('button', { name: 'Add a history' }).click();
    await page.getByRole('group', { name: 'History 1' }).getByLabel('Channels').fill('orders-*');
    await webhook(1).getByLabel('Channel name starts with').fill('private-');
    await webhook(1).getByLabel('Headers').fill('X-Shop: 1');
    await save();
    const stored = await world().ask('GET', 'admin/apps/forms');
    expect(stored).toMatchObject({
      name: 'The shop',
      maxConnections: 500,
      allowedOrigins: ['shop.example', '*.shop.example'],
      history: [{ channels: 'orders-*' }],
    });
    expect(stored.webhooks[0]).toMatchObject({
      filter: { channelNameStartsWith: 'private-' },
      headers: { 'X-Shop': '********' },
    });
    await page.getByRole('heading', { name: 'The shop' }).waitFor();
    await page.getByLabel('Allowed origins').fill('*');
    await page.getByRole('button', { name: 'Remove history' }).click();
    await page.getByLabel('Name', { exact: true }).fill('');
    await save();
    await page.setViewportSize({ width: 390, height: 844 });
    await world().picture(page, 'settings-fields-narrow');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('shows a refusal at its field', async () => {
    const field = page.locator('[data-setting="encryptionMasterKeyBase64"]');
    await field.getByRole('textbox').fill('too short');
    await page.getByRole('button', { name: 'Save' }).click();
    await field.getByText('must be 32 bytes in Base64').waitFor();
    expect(await page.getByText('must be 32 bytes in Base64').count()).toBe(1);
    await field.getByRole('textbox').fill('');
    // The browser logs the answer 400.
    world().complaints.splice(0);
  });

  it('has a tab with its credentials and snippets', async () => {
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    const { port } = world().server;
    for (const sdk of ['pusher-js', 'Laravel', 'Node.js', 'PHP', 'Python', 'Ruby', 'Go', '.NET']) {
      await page.getByRole('group', { name: 'SDK' }).getByRole('button', { name: sdk, exact: true }).click();
      const code = await page.locator('.snippet code').textContent();
      expect([sdk, code?.includes(credentials['key']!), code?.includes(String(port))]).toEqual([sdk, true, true]);
      // Pages have no secret to write.
      const isToWrite = await page.getByText('write it in place of SECRET above').isVisible();
      expect([sdk, isToWrite]).toEqual([sdk, sdk !== 'pusher-js']);
    }
    await world().picture(page, 'settings-connect');
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
  });

  it('gets another secret, and loses the old one on request', async () => {
    let next: Record<string, string> = {};
    const clicks = await clicksOf(page, async () => {
      await page.getByRole('button', { name: 'New secret' }).click();
      await page.getByRole('dialog').getByLabel('The old secret stays valid').selectOption('7 days');
      await page.getByRole('dialog').getByRole('button', { name: 'Create it' }).click();
      // It is shown once: Escape does not lose it.
      await told().waitFor();
      for (let n = 0; n < 3; n++) await page.keyboard.press('Escape');
      next = await kept();
    });
    expect(clicks).toBe(3);
    await page.getByText(/^valid until \w+ \d+/).waitFor();
    expect(next['secret']).not.toBe(credentials['secret']);
    await until(async () => (await statusWith(next)) === 200, 'the new one is good');
    expect(await statusWith(credentials)).toBe(200);
    await page.getByRole('button', { name: 'Remove key' }).click();
    const question = page.getByRole('dialog', { name: 'Remove this key?' });
    const remove = question.getByRole('button', { name: 'Remove the key' });
    expect(await remove.isDisabled()).toBe(true);
    await question.getByRole('textbox').fill('another key');
    expect(await remove.isDisabled()).toBe(true);
    await question.getByRole('textbox').fill(credentials['key']!);
    await remove.click();
    await page.getByText('The key was removed.').waitFor();
    await until(async () => (await statusWith(credentials)) === 401, 'the old one is not');
    expect(await statusWith(next)).toBe(200);
  });

  it('gets another secret for the same key, while both keys show their use', async () => {
    await page.reload();
    const { key } = await world().ask('GET', 'admin/apps/forms');
    const row = page.locator('li').filter({ hasText: key });
    await row.getByText(/0 connections, last used \d+ s ago/).waitFor();
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'A new secret for the same key' }).click();
    await page.getByText('The key stays the same: pages need no change.').waitFor();
    await world().picture(page, 'settings-new-secret');
    await page.getByRole('dialog').getByRole('button', { name: 'Create it' }).click();
    const renewed = await kept();
    expect(renewed['key']).toBe(key);
    await row.getByText('current; old secret valid until you remove it').waitFor();
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create it' }).click();
    const second = await kept();
    await joined(world().client('alice', {}, key), 'by-the-first-key');
    await joined(world().client('bob', {}, key), 'by-the-first-key');
    expect(await statusWith(renewed)).toBe(200);
    await page.reload();
    await row.getByText(/valid until you remove it · 2 connections, last used \d+ s ago/).waitFor();
    const unused = page.locator('li').filter({ hasText: second['key']! });
    await unused.getByText(/^current · 0 connections, not used since .*, when a process started$/).waitFor();
    await world().picture(page, 'settings-keys');
  });

  it('asks before changes that are not saved are left', async () => {
    const field = page.getByLabel('Event data bytes');
    const said: string[] = [];
    const answer = async (dialog: Dialog): Promise<void> => {
      said.push(dialog.message());
      await (said.length === 1 ? dialog.dismiss() : dialog.accept());
    };
    page.on('dialog', answer);
    await field.fill('10');
    await page.getByRole('link', { name: 'Overview' }).click();
    await until(() => said.length === 1, 'it has asked');
    expect(await field.inputValue()).toBe('10');
    await page.getByRole('link', { name: 'Overview' }).click();
    await field.waitFor({ state: 'detached' });
    page.off('dialog', answer);
    expect(said).toEqual(Array(2).fill('Leave without saving your changes?'));
    await page.goBack();
    await field.waitFor();
    expect(await field.inputValue()).toBe('');
  });

  it('does not ask about saved ones, even before they are fetched again', async () => {
    const field = page.getByLabel('Event data bytes');
    const said: string[] = [];
    page.once('dialog', (dialog) => void (said.push(dialog.message()), dialog.accept()));
    const apps = '**/console/api/admin/apps';
    await page.route(apps, (route) => (route.request().method() === 'GET' ? undefined : route.continue()));
    await field.fill('20000');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').first().waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await field.waitFor({ state: 'detached' });
    expect(said).toEqual([]);
    await page.unroute(apps);
    await page.goBack();
    await until(async () => (await field.inputValue()) === '20000', 'it is shown');
  });

  it('is removed for good', async () => {
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Remove it' });
    expect(await remove.isDisabled()).toBe(true);
    await page.getByRole('dialog').getByRole('textbox').fill('forms');
    await remove.click();
    await page.getByText('Removed.', { exact: true }).waitFor();
    await until(async () => (await page.getByRole('button', { name: /^forms/ }).count()) === 0, 'it is gone');
  });

  it('is then looked for no longer by a page that shows it live', async () => {
    await page.goto(world().address('/apps/forms/live'));
    await page.getByRole('heading', { name: 'There is no app forms' }).waitFor();
    await world().picture(page, 'live-of-removed');
    const isExpected = (complaint: string): boolean => complaint.includes('404');
    expect(world().complaints.filter((each) => !isExpected(each))).toEqual([]);
    // Any further attempt would be one more.
    world().complaints.length = 0;
    await page.getByRole('link', { name: 'Show all apps' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  it('log no error and no policy violation', () => expect(world().complaints).toEqual([]));
});

describeChromium('a push instance in the settings', () => {
  const world = useConsole();
  let apple: StandInApns;
  let page: Page;
  beforeAll(async () => {
    apple = await standInApns();
    await world().ask('POST', 'admin/instances', { id: instanceId });
    page = await world().open(await world().visitor(), `/settings?kind=instances&id=${instanceId}`);
  });
  afterAll(() => apple?.close());

  it('gets the key of Apple, checks it and saves it in two clicks', async () => {
    const { key, keyId, teamId, endpoint } = apple.credentials;
    const form = page.getByRole('group', { name: 'Apple (APNs)' });
    await form.getByLabel('Key from a file').waitFor();
    const clicks = await clicksOf(page, async () => {
      await form.getByLabel('Key from a file').setInputFiles({
        name: 'AuthKey_ABC123DEFG.p8',
        mimeType: 'application/octet-stream',
        buffer: Buffer.from(key),
      });
      await form.getByLabel('Key id').fill(keyId);
      await form.getByLabel('Team id').fill(teamId);
      await form.getByLabel('Gateway').fill(endpoint!);
      await form.getByRole('button', { name: 'Check' }).click();
      await page.getByText('Apple accepts this key.').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
    });
    expect(clicks).toBe(2);
    await world().picture(page, 'settings-apns');
    const stored = await world().ask('GET', `admin/instances/${instanceId}`);
    expect(stored.apns).toEqual({ key: '********', keyId, teamId, endpoint });
  });

  it('says why a key is not accepted, with the stored one in place of a hidden one', async () => {
    const form = page.getByRole('group', { name: 'Apple (APNs)' });
    await form.getByLabel('Team id').fill('WRONGTEAM1');
    await form.getByRole('button', { name: 'Check' }).click();
    await page.locator('[data-setting="apns"] .note.bad').waitFor();
    await form.getByLabel('Key', { exact: true }).fill('no key at all');
    await form.getByRole('button', { name: 'Check' }).click();
    await page.getByText('must be the text of an Apple .p8 file').waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await world().picture(page, 'settings-apns-narrow');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });

  it("gets Google's service account from a file, and checks it", async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    const { serviceAccount, endpoint } = world().google.credentials;
    const form = page.getByRole('group', { name: 'Google (FCM)' });
    const choose = (account: object) =>
      form.getByLabel('Service account from a file').setInputFiles({
        name: 'firebase.json',
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify(account)),
      });
    await choose(serviceAccount);
    await form.getByLabel('Gateway').fill(endpoint!);
    await form.getByRole('button', { name: 'Check' }).click();
    await page.getByText('Google accepts this key.').waitFor();
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await choose({ ...serviceAccount, private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }) });
    await form.getByRole('button', { name: 'Check' }).click();
    await page.locator('[data-setting="fcm"] .note.bad').getByText('invalid_grant').waitFor();
  });

  it('shows a refusal at its field alone', async () => {
    const other = await world().ask('POST', 'admin/instances', {});
    const view = await page.context().newPage();
    await view.goto(world().address(`/settings?kind=instances&id=${other.id}`));
    const form = view.getByRole('group', { name: 'Browsers (web push)' });
    for (const name of ['Public key', 'Private key', 'Contact']) await form.getByLabel(name).fill('not a key');
    await view.getByRole('button', { name: 'Save' }).click();
    await view
      .locator('[data-setting="web"] .note.bad')
      .getByText(/^web\./)
      .waitFor();
    expect(await view.locator('.note.bad').count()).toBe(1);
    await form.getByRole('button', { name: 'Remove Browsers (web push)' }).click();
    await view.getByRole('button', { name: 'Add a webhook' }).click();
    const webhook = view.getByRole('group', { name: 'Webhook 1' });
    await webhook.getByLabel('URL').fill('https://example.com');
    await webhook.getByLabel('Secret').fill(' spaces ');
    await webhook.getByLabel('Custom data').fill('{ "shop": 1');
    await webhook.getByRole('checkbox').first().check();
    await webhook.getByText('Not valid JSON.').waitFor();
    await webhook.getByLabel('Custom data').fill('{ "shop": 1 }');
    await view.getByRole('button', { name: 'Save' }).click();
    await view.getByText('Saved.').waitFor();
    const { webhooks } = await world().ask('GET', `admin/instances/${other.id}`);
    expect(webhooks).toMatchObject([{ secret: '********', customData: { shop: 1 } }]);
    await view.close();
    // The browser logs the answer 400.
    world().complaints.splice(0);
  });

  it('checks that a VAPID pair is one', async () => {
    const form = page.getByRole('group', { name: 'Browsers (web push)' });
    const [own, other] = [createECDH('prime256v1'), createECDH('prime256v1')];
    const publicKey = own.generateKeys('base64url');
    other.generateKeys();
    await form.getByLabel('Public key').fill(publicKey);
    await form.getByLabel('Private key').fill(own.getPrivateKey('base64url'));
    await form.getByLabel('Contact').fill('mailto:ops@example.com');
    await form.getByRole('button', { name: 'Check' }).click();
    await page.getByText('The key pair is valid.').waitFor();
    await form.getByLabel('Private key').fill(other.getPrivateKey('base64url'));
    await form.getByRole('button', { name: 'Check' }).click();
    await page.getByText('are not a P-256 key pair').waitFor();
    await world().picture(page, 'settings-vapid');
  });

  it('is created from the page of an empty list', async () => {
    const empty = await page.context().newPage();
    await empty.goto(world().address('/push'));
    await empty.getByRole('link', { name: 'New instance' }).click();
    await empty.getByRole('dialog', { name: 'New instance' }).getByRole('button', { name: 'Create' }).click();
    await empty.getByRole('button', { name: 'I have stored them' }).click();
    const made = new URL(empty.url()).searchParams.get('id');
    expect((await world().ask('GET', 'overview')).instances).toContainEqual(expect.objectContaining({ id: made }));
    await empty.getByRole('heading', { name: made! }).waitFor();
    expect(await empty.getByRole('dialog').count()).toBe(0);
    await empty.close();
  });

  it('has a tab with its id and snippets', async () => {
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    for (const sdk of Object.keys(instanceSnippets)) {
      await page.getByRole('group', { name: 'SDK' }).getByRole('button', { name: sdk, exact: true }).click();
      const code = await page.locator('.snippet code').textContent();
      const { host } = new URL(world().server.url);
      expect([sdk, code?.includes(instanceId), code?.includes(host)]).toEqual([sdk, true, true]);
    }
    await world().picture(page, 'settings-connect-push');
  });

  it('log no error and no policy violation', () => expect(world().complaints).toEqual([]));
});

const instanceId = 'c0ffee00-0000-4000-8000-000000000001';
