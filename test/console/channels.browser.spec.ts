import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { describeChromium } from '../support/chromium.js';
import { consolePassword, useConsole } from '../support/console-world.js';
import { joined } from '../support/pusher-js.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 60_000 });

describeChromium("the console's pages of an app", () => {
  const world = useConsole();
  let context: BrowserContext;
  let page: Page;
  const go = (path: string) => page.goto(world().address(path));
  const rows = () => page.getByRole('grid').locator('.list-row');
  const row = (text: string | RegExp) => rows().filter({ hasText: text }).first();
  const detail = (name: string) => page.getByRole('complementary', { name });

  beforeAll(async () => {
    context = await world().visitor();
    page = await context.newPage();
  });
  afterAll(() => context?.close());

  it('ask for the password, and then show the requested page', async () => {
    await go('/apps/shop/connections?search=alice');
    await page.getByLabel('Password').fill('a guess that is wrong');
    await page.keyboard.press('Enter');
    await page.getByText('That is not the password.').waitFor();
    await page.getByLabel('Password').fill(consolePassword);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Connections' }).waitFor();
    expect(new URL(page.url()).search).toBe('?search=alice');
    expect(await page.getByRole('searchbox').inputValue()).toBe('alice');
    // The guess was answered 401, which a browser tells its console.
    expect(world().complaints.splice(0)).toEqual([expect.stringContaining('401')]);
  });

  it('show filtered activity live, and stop while paused', async () => {
    await go('/apps/shop/live');
    await page.getByRole('status').getByText('Live').waitFor();
    const client = world().client('alice', { name: 'Alice' });
    await joined(client, 'news');
    await row('subscribed').filter({ hasText: 'news' }).waitFor();
    await world().pusher().trigger('news', 'headline', { text: 'first' });
    await row('headline').filter({ hasText: 'first' }).waitFor();

    await page.getByRole('searchbox', { name: 'Channel' }).fill('new*');
    await page.getByRole('button', { name: 'All kinds' }).click();
    await page.getByRole('checkbox', { name: 'event', exact: true }).check();
    await page.keyboard.press('Escape');
    await until(async () => (await rows().count()) === 1, 'the event alone is shown');
    expect(new URL(page.url()).search).toBe('?kinds=event&channel=new*');

    await page.getByRole('button', { name: 'Pause' }).click();
    await world().pusher().trigger('other', 'elsewhere', {});
    await world().pusher().trigger('news', 'headline', { text: 'second' });
    await page.getByText('1 newer one waiting').waitFor();
    expect(await rows().count()).toBe(1);
    await page.getByRole('button', { name: 'Resume' }).click();
    await row('second').waitFor();
    expect(await rows().count()).toBe(2);
  });

  it('expand an event, and list its recipients', async () => {
    const [alice, bob] = [world().client('alice'), world().client('bob')];
    await Promise.all([joined(alice, 'orders'), joined(bob, 'news')]);
    await go('/apps/shop/live');
    await page.getByRole('status').getByText('Live').waitFor();
    await world().pusher().trigger('orders', 'order.updated', { id: 7, note: 'a "quoted" note' });
    await row('order.updated').click();
    await detail('What happened').getByText('"a \\"quoted\\" note"').waitFor();

    await page.getByRole('link', { name: 'Why did it arrive, or not?' }).click();
    const ask = async (socketId: string): Promise<void> => {
      await page.getByLabel('User or socket id').fill(socketId);
      await page.getByRole('button', { name: 'Ask' }).click();
    };
    await ask(alice.connection.socket_id);
    await page.getByText('delivered', { exact: true }).waitFor();
    await ask(bob.connection.socket_id);
    await page.getByText('not delivered', { exact: true }).waitFor();
    await page
      .getByText(/not subscribed/i)
      .first()
      .waitFor();
  });

  it('send an event to a client', async () => {
    const heard: unknown[] = [];
    (await joined(world().client(), 'hand-made')).bind('greeting', (data: unknown) => heard.push(data));
    await go('/apps/shop/events');
    await page.getByRole('textbox', { name: 'Channels' }).fill('hand-made');
    await page.getByRole('textbox', { name: 'Event', exact: true }).fill('greeting');
    await page.getByLabel('Data').fill('{ "hello": ');
    await page.getByText('Not valid JSON').waitFor();
    expect(await page.getByRole('button', { name: 'Send event' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Send as text' }).click();
    await until(() => heard.length > 0, 'the client hears the text');
    await page.getByLabel('Data').fill('{ "hello": "you" }');
    await page.getByRole('button', { name: 'Send event' }).click();
    await until(() => heard.length > 1, 'the client hears it');
    expect(heard).toEqual(['{ "hello": ', { hello: 'you' }]);
    await page.getByText('sent', { exact: true }).nth(1).waitFor();
    await page.getByText('1 connection subscribed.').nth(1).waitFor();
    await page.getByRole('textbox', { name: 'Channels' }).fill('no such/channel');
    await page.getByRole('button', { name: 'Send event' }).click();
    await page.getByText('refused', { exact: true }).waitFor();
    expect(world().complaints.splice(0)).toEqual([expect.stringContaining('400')]);
  });

  it('show members of a channel, and close a connection', async () => {
    const carol = world().client('carol', { name: 'Carol <b>Danvers</b>' });
    await joined(carol, 'presence-room');
    await go('/apps/shop/channels');
    await row('presence-room').click();
    await detail('Channel').getByText('Carol <b>Danvers</b>').waitFor();

    const socketId = carol.connection.socket_id;
    await go(`/apps/shop/connections/${socketId}`);
    await detail('Connection').getByText('presence-room').first().waitFor();
    const codes: number[] = [];
    carol.connection.bind('error', ({ data }: { data?: { code: number } }) => codes.push(data?.code ?? 0));
    await page.getByRole('button', { name: 'Close connection' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close connection' }).click();
    await until(() => carol.connection.state === 'disconnected' || carol.connection.state === 'failed', 'it is closed');
    expect(codes).toContain(4009);
  });

  it('show a user, from anywhere that names them, and disconnect the user', async () => {
    const dora = world().client('dora');
    await joined(dora, 'presence-users');
    await joined(dora, 'weather');
    await go('/apps/shop/channels/presence-users');
    await detail('Channel').getByRole('link', { name: 'dora' }).click();
    await page.getByRole('heading', { name: 'dora', exact: true }).waitFor();
    await page.getByRole('region', { name: 'Connections' }).getByText(dora.connection.socket_id).waitFor();
    await page.getByRole('region', { name: 'Subscribed channels' }).getByRole('link', { name: 'weather' }).waitFor();
    const activity = page.getByRole('region', { name: 'Activity' });
    await activity.getByText('subscribed weather').waitFor();
    await world().pusher().trigger('weather', 'storm', { wind: 9 });
    await activity.getByText('received event weather storm  {"wind":9}').waitFor();
    await activity.getByText(/^Complete since \d\d:\d\d:\d\d\.$/).waitFor();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('heading', { name: 'Not connected' }).waitFor();
    await activity.getByText('disconnected 4009').waitFor();
    await until(() => dora.connection.state !== 'connected', 'the client is closed');
  });

  it('fold the long lists of a user and of a connection', async () => {
    const names = Array.from({ length: 32 }, (_, index) => `aisle-${String(index).padStart(2, '0')}`);
    const finn = world().client('finn');
    finn.signin();
    await Promise.all(names.map((name) => joined(finn, name)));
    await until(() => finn.user.user_data, 'the user is signed in');
    for (const path of ['users/finn', `connections/${finn.connection.socket_id}`]) {
      await go(`/apps/shop/${path}`);
      const last = page.getByRole('link', { name: 'aisle-31' });
      await page.getByRole('link', { name: 'aisle-20' }).waitFor();
      expect(await last.isVisible()).toBe(false);
      await page.getByText(/^\d more$/).click();
      await last.waitFor();
    }
    finn.disconnect();
  });

  it('show the whole name of each kind of activity', async () => {
    await go('/apps/shop/live');
    await page.locator('.pulse').getByText('Live').waitFor();
    const gina = world().client('gina');
    await joined(gina, 'presence-users');
    gina.disconnect();
    await page.locator('.list-row .badge').getByText('member removed').first().waitFor();
    const cut = `[...document.querySelectorAll('.list-row .badge')].filter((badge) => badge.scrollWidth > badge.clientWidth)
      .map((badge) => badge.textContent)`;
    expect(await page.evaluate(cut)).toEqual([]);
  });

  it('show what costs most: channels by subscriptions, and apps by what a chart counts', async () => {
    const clients = [world().client(), world().client()];
    for (const client of clients) await joined(client, 'zz-busy');
    await joined(clients[0]!, 'aa-quiet');
    await go('/apps/shop/channels');
    await row('aa-quiet').waitFor();
    await page.getByRole('button', { name: 'Subscriptions' }).click();
    await page.getByRole('columnheader', { name: /Subscriptions/, exact: false }).waitFor();
    await until(async () => {
      const names = await rows().allTextContents();
      return names.findIndex((each) => each.includes('zz-busy')) < names.findIndex((each) => each.includes('aa-quiet'));
    }, 'the channel with more subscriptions comes first');
    expect(new URL(page.url()).search).toBe('?sort=subscriptions');
    await page.getByText(/by subscriptions/).waitFor();

    await go('/');
    await page.getByRole('link', { name: 'Errors to clients' }).click();
    expect(new URL(page.url()).search).toBe('?sort=errors');
    const apps = page.getByRole('region', { name: 'Apps' });
    await apps.getByRole('columnheader', { name: 'Errors' }).getByRole('button', { pressed: true }).waitFor();
    await apps
      .getByRole('row', { name: /shop-key/ })
      .getByRole('link')
      .nth(5)
      .click();
    await page.getByRole('heading', { name: 'Live' }).waitFor();
    expect(new URL(page.url()).search).toBe('?kinds=error');
  });

  it('show hostile names and data as text, and run only their own scripts', async () => {
    const hostile = '<img src=x onerror="document.title=\'taken\'">';
    // The rows of its member have the same texts.
    await go('/apps/shop/live?kinds=event');
    await page.getByRole('status').getByText('Live').waitFor();
    const client = world().client(hostile, { name: hostile });
    await joined(client, 'presence-hostile');
    await world().pusher().trigger('presence-hostile', hostile, { html: hostile, script: '</script><script>1' });
    await row(hostile).filter({ hasText: 'presence-hostile' }).first().click();
    await detail('What happened').getByRole('heading', { name: hostile }).waitFor();
    await go('/apps/shop/channels/presence-hostile');
    await detail('Channel').getByText(hostile).first().waitFor();
    await go(`/apps/shop/connections?search=${encodeURIComponent('<img')}`);
    await page.getByRole('heading', { name: 'Connections' }).waitFor();
    expect(await page.locator('#console img[src=x]').count()).toBe(0);
    expect(await page.title()).toBe('Connections · Rookery console');
  });

  it('log no error and no policy violation', () => expect(world().complaints).toEqual([]));
});
