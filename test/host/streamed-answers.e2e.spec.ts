import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { describeChromium, launchChromium } from '../support/chromium.js';
import { Example } from '../support/example.js';
import { hintOf, pageFaults } from '../support/page-faults.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const recited = /^A rook builds its nest .* join the noisy flock\.$/;

describeChromium('an answer in browsers', () => {
  let browser: Browser;
  let example: Example;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterEach(() => example.stop());
  afterAll(() => browser.close());

  const open = async (): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 640, height: 400 } });
    await page.goto(example.url);
    return page;
  };
  const ask = async (page: Page) => {
    await page.getByLabel('Question').fill('How do rooks build their nests?');
    await page.getByRole('button', { name: 'Ask' }).click();
  };
  const answers = (page: Page) => page.locator('article p').allInnerTexts();
  const shows = (page: Page, isShown: (text: string) => boolean) =>
    until(async () => isShown((await answers(page))[0] ?? ''), 'the page shows the answer');

  it('goes on where it was when a page is reloaded in mid-sentence', async () => {
    example = await Example.start('streamed-answers', { TOKEN_MS: '100' });
    const [alice, bob] = [await open(), await open()];
    expect(await hintOf(alice.locator('#said'))).toBe(
      '"No answers yet. Ask a question, and open this page in a second tab."',
    );
    await ask(alice);
    await shows(bob, (text) => text.length > 40);
    await bob.reload();
    await shows(bob, (text) => text.startsWith('A rook') && text.length < 300);
    expect((await answers(bob))[0]).not.toMatch(recited);
    for (const page of [alice, bob]) {
      await shows(page, (text) => recited.test(text));
      await page.locator('article[data-end=done]').waitFor();
    }
    const late = await open();
    await shows(late, (text) => recited.test(text));
    expect(await pageFaults(late)).toEqual([]);
    expect(await late.locator('h2').allInnerTexts()).toEqual(['How do rooks build their nests?']);
    if (process.env['PICTURES']) {
      await ask(late);
      await shows(late, (text) => text.length > 100);
      await late.screenshot({ path: join(import.meta.dirname, '../../examples/streamed-answers/picture.png') });
    }
  });

  it('comes from a server that is compatible with OpenAI, and says when that fails', async () => {
    const model: Server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const content of ['Sie bauen ', 'hoch oben.'])
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
      response.end('data: [DONE]\n\n');
    });
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    const { port } = model.address() as AddressInfo;
    example = await Example.start('streamed-answers', { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` });
    const page = await open();
    await ask(page);
    await shows(page, (text) => text === 'Sie bauen hoch oben.');
    model.closeAllConnections();
    await new Promise((resolve) => model.close(resolve));
    await ask(page);
    await shows(page, (text) => text.includes('The model is not available.'));
  });
});
