import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { describeChromium } from '../support/chromium.js';
import { useConsole } from '../support/console-world.js';
import { joined } from '../support/pusher-js.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 60_000 });

describeChromium('the past, in the console', () => {
  const world = useConsole();
  let context: BrowserContext;
  let page: Page;
  let clicks = 0;
  const click = async (what: Locator): Promise<void> => {
    clicks += 1;
    await what.click();
  };
  const place = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true });
  const rows = () => page.getByRole('grid').locator('.list-row');
  const row = (text: string | RegExp) => rows().filter({ hasText: text }).first();
  const detail = () => page.getByRole('complementary', { name: 'What happened' });
  const recentEvent = (text: string) =>
    page.getByRole('region', { name: 'Recent events' }).getByRole('button').filter({ hasText: text });
  const whyAbout = async (id: string): Promise<void> => {
    await page.getByLabel('User or socket id').fill(id);
    await click(page.getByRole('button', { name: 'Ask' }));
  };

  beforeAll(async () => {
    const [alice, bob] = [world().client('alice'), world().client('bob')];
    await joined(alice, 'presence-hall');
    await joined(bob, 'presence-mail');
    alice.disconnect();
    bob.disconnect();
    for (const again of [1, 2, 3]) {
      const eve = world().client('eve');
      await joined(eve, `presence-visit-${again}`);
      eve.disconnect();
    }
    await joined(world().client('carol'), 'presence-mail');
    await world().pusher().trigger('presence-mail', 'letter', { from: 'Needle' });
    world().client('dave', {}, 'shop-kye<b>');
    const dave = world().client('dave', {}, 'second-key');
    await joined(dave, 'presence-elsewhere');
    // Only now is a console opened.
    context = await world().visitor();
    page = await world().open(context, '/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
  afterEach(() => void (clicks = 0));
  afterAll(() => context?.close());

  it('tells why a user who is offline did not get an event, in four clicks', async () => {
    await click(place('Why?'));
    await click(recentEvent('letter'));
    await whyAbout('alice');
    await page.getByText(/alice was last here at \d\d:\d\d:\d\d, and had not subscribed to presence-mail/).waitFor();
    await whyAbout('bob');
    await page.getByText(/bob was last here at \d\d:\d\d:\d\d, and subscribed to presence-mail until then/).waitFor();
    expect(clicks).toBe(4);
  });

  it('folds the earlier connections of a user who reconnects', async () => {
    await whyAbout('eve');
    await page.getByText(/eve was last here at \d\d:\d\d:\d\d, and had not subscribed to presence-mail/).waitFor();
    const verdicts = page.getByText('not delivered', { exact: true }).filter({ visible: true });
    expect(await verdicts.count()).toBe(1);
    await click(page.getByText('3 earlier connections had ended before the event'));
    expect(await verdicts.count()).toBe(4);
  });

  it('offers the events of one channel, and keeps them in place under the mouse', async () => {
    const events = page.getByRole('region', { name: 'Recent events' });
    const trigger = (channel: string, name: string) => world().pusher().trigger(channel, name, {});
    await trigger('orders-7', 'first');
    await recentEvent('first').waitFor();
    await events.getByLabel('Channel of the events').fill('orders-');
    await recentEvent('letter').waitFor({ state: 'hidden' });
    await recentEvent('first').hover();
    await trigger('orders-8', 'second');
    const asked = page.waitForResponse((answer) => answer.url().includes('/recent?'));
    await (await asked).finished();
    expect(await recentEvent('second').count()).toBe(0);
    await page.mouse.move(0, 0);
    await recentEvent('second').waitFor();
    await events.getByLabel('Channel of the events').fill('');
    await recentEvent('letter').waitFor();
  });

  it('tells that a client is connected to another app, in three clicks', async () => {
    await page.goto(world().address('/'));
    await click(place('Why?'));
    await click(recentEvent('letter'));
    await whyAbout('dave');
    await page.getByText('dave is connected to app second, not to shop.').waitFor();
    expect(clicks).toBe(3);
  });

  it.each([
    ['ahead', 10_800_000],
    ['behind', -10_800_000],
  ])('tells ages by the clock of the server, in a browser whose clock is three hours %s', async (_, ms) => {
    const elsewhere = await world().visitor();
    await elsewhere.clock.install({ time: Date.now() + ms });
    const overview = await world().open(elsewhere, '/');
    const started = overview.getByRole('row').last();
    await started.waitFor();
    expect(await started.innerText()).toMatch(/\b[1-9]\d* (s|min)\b/);
    expect(await started.innerText()).not.toMatch(/\b3 h\b/);
    await elsewhere.close();
  });

  it('tells which key a refused client brought, in one click', async () => {
    await page.goto(world().address('/'));
    await click(place('Why?'));
    const refused = page.getByRole('region', { name: 'Refused connections' });
    await refused.getByText('4001').first().waitFor();
    await refused.locator('code').getByText('shop-kye<b>').first().waitFor();
    expect(clicks).toBe(1);
  });

  it('finds an event by a part of its data, and says when no line matches', async () => {
    await page.goto(world().address('/'));
    await click(place('Live'));
    await page.getByRole('searchbox', { name: 'Event or data' }).fill('needle');
    await row('letter').waitFor();
    await until(async () => (await rows().count()) === 1, 'nothing else matches');
    await page.getByRole('searchbox', { name: 'Channel' }).fill('-MAI');
    await row('letter').waitFor();
    await page.getByRole('searchbox', { name: 'Event or data' }).fill('haystack');
    await page.getByRole('heading', { name: 'No line matches' }).waitFor();
    await click(page.getByRole('grid').getByRole('button', { name: 'Show everything' }));
    await row('connected').waitFor();
    expect(clicks).toBe(2);
  });

  it('keeps the list, the filter and the opened line when you go back', async () => {
    await page.goto(world().address('/apps/shop/live'));
    await page.getByRole('searchbox', { name: 'Event or data' }).fill('needle');
    await until(async () => (await rows().count()) === 1, 'one line matches');
    await click(row('letter'));
    await detail().getByText('"Needle"').waitFor();
    const opened = page.url();
    await click(page.getByRole('link', { name: 'Why did it arrive, or not?' }));
    await page.getByRole('heading', { name: 'Why?' }).waitFor();
    await page.goBack();
    await detail().getByText('"Needle"').waitFor();
    expect(page.url()).toBe(opened);
    await until(async () => (await rows().count()) === 1, 'the list is as it was');
    await page.goBack();
    await detail().waitFor({ state: 'detached' });
    await row('letter').waitFor();
    expect(await page.getByRole('searchbox', { name: 'Event or data' }).inputValue()).toBe('needle');
  });

  it('shows one event by its address, to somebody else and when it is gone', async () => {
    await page.goto(world().address('/apps/shop/live'));
    await click(row('letter'));
    await detail().getByText('"Needle"').waitFor();
    await detail().getByRole('button', { name: 'Copy the link' }).waitFor();
    const other = await world().visitor();
    const theirs = await world().open(other, new URL(page.url()).pathname.replace('/console', ''));
    await theirs.getByRole('complementary', { name: 'What happened' }).getByText('"Needle"').waitFor();
    await theirs.goto(world().address('/apps/shop/live/1@nothing'));
    await theirs.getByText('No longer kept').waitFor();
    await other.close();
    expect(world().complaints.splice(0)).toEqual([expect.stringContaining('404')]);
  });

  it('log no error and no policy violation', () => expect(world().complaints).toEqual([]));
});
