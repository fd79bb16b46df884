import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { describeChromium, launchChromium } from '../support/chromium.js';
import { Example } from '../support/example.js';
import { hintOf, pageFaults } from '../support/page-faults.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

describeChromium('a chat with an AI in browsers', () => {
  let browser: Browser;
  let example: Example;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterEach(() => example.stop());
  afterAll(() => browser.close());

  const open = async (): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 640, height: 520 } });
    await page.goto(example.url);
    await page.locator('body[data-status]').waitFor();
    return page;
  };
  const send = async (page: Page, text: string) => {
    await page.getByLabel('Message').fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
  };
  const answer = async (page: Page) => (await page.locator('article.assistant').allInnerTexts()).at(-1) ?? '';
  const shows = (page: Page, isShown: (text: string) => boolean) =>
    until(async () => isShown(await answer(page)), 'the page shows the answer');
  const isIdle = (page: Page) => page.locator('body[data-status=ready]').waitFor();

  it('goes on in mid-sentence after a reload, and is stopped in another tab', async () => {
    example = await Example.start('ai-chat', { TOKEN_MS: '100' });
    const [alice, bob] = [await open(), await open()];
    await send(alice, 'How do rooks build their nests?');
    await shows(bob, (text) => text.length > 60);
    await alice.reload();
    await shows(alice, (text) => text.includes('A rook builds') && text.length > 90);
    await bob.getByRole('button', { name: 'Stop' }).click();
    for (const page of [alice, bob]) await isIdle(page);
    const said = await answer(alice);
    expect(said).not.toContain('noisy flock');
    const late = await open();
    await until(async () => (await answer(late)) !== '', 'the page shows the answer');
    expect(await answer(late)).toBe(said);
    expect(await late.locator('article').count()).toBe(2);
  });

  it('asks for an approval, which another tab gives, and every tab shows the rest', async () => {
    example = await Example.start('ai-chat', { TOKEN_MS: '40' });
    const [alice, bob] = [await open(), await open()];
    expect(await hintOf(alice.locator('#said'))).toMatch(/^"No messages yet\. Ask something/);
    await send(alice, 'Build me a nest');
    await bob.getByRole('button', { name: 'Approve' }).waitFor();
    await isIdle(bob);
    await alice.reload();
    await alice.getByRole('button', { name: 'Deny' }).waitFor();
    expect(await pageFaults(alice)).toEqual([]);
    if (process.env['PICTURES'])
      await alice.screenshot({ path: join(import.meta.dirname, '../../examples/ai-chat/picture.png') });
    await bob.getByRole('button', { name: 'Approve' }).click();
    for (const page of [alice, bob]) {
      await shows(page, (text) => text.includes('output-available') && text.includes('It fits. A rook'));
      await shows(page, (text) => text.includes('noisy flock'));
      await isIdle(page);
      expect(await page.locator('article').count()).toBe(2);
    }
    await alice.reload();
    await shows(alice, (text) => text.includes('noisy flock'));
  });

  it('considers what is written while it comes', async () => {
    example = await Example.start('ai-chat', { TOKEN_MS: '100' });
    const page = await open();
    await send(page, 'How do rooks build their nests?');
    await shows(page, (text) => text.includes('Reads'));
    await send(page, 'And in towns?');
    await shows(page, (text) => text.includes('You: And in towns?') && text.includes('plane trees'));
    expect(await page.locator('article.user').count()).toBe(1);
  });
});
