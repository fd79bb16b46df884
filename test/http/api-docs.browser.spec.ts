import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { describeChromium, launchChromium } from '../support/chromium.js';
import { useServer } from '../support/server.js';

vi.setConfig({ testTimeout: 90_000 });

describeChromium('the page of the HTTP APIs', () => {
  const server = useServer();
  let browser: Browser;
  const opened: Page[] = [];
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterEach(async () => {
    for (const page of opened.splice(0)) await page.context().close();
  });
  afterAll(() => browser.close());

  async function open(api: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
    const page = await (await browser.newContext({ colorScheme })).newPage();
    opened.push(page);
    const { port } = server().getHttpServer().address() as AddressInfo;
    await page.goto(`http://127.0.0.1:${port}/docs?api=${api}`);
    await page.locator('.opblock').first().waitFor();
    return page;
  }

  /** Sends an operation, and answers the status and the body. */
  async function tryOut(page: Page, path: string, body?: object, parameters: Readonly<Record<string, string>> = {}) {
    const operation = page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) }).first();
    if (!(await operation.getByText('Try it out').isVisible()))
      await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    if (body) await operation.locator('textarea.body-param__text').fill(JSON.stringify(body));
    for (const [name, value] of Object.entries(parameters))
      await operation.locator(`tr[data-param-name="${name}"] input`).fill(value);
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table .response').first();
    await answer.waitFor();
    const status = await answer.locator('.response-col_status').textContent();
    return { status: status!.trim(), text: (await answer.locator('.response-col_description').textContent()) ?? '' };
  }

  it('signs a trigger with the credentials of the development app', async () => {
    const page = await open('channels');
    const event = { name: 'my-event', channel: 'my-channel', data: '{"text":"grüße"}' };
    expect(await tryOut(page, '/apps/{appId}/events', event)).toMatchObject({ status: '200' });
  });

  it('signs a query with parameters', async () => {
    const page = await open('channels');
    const parameters = { filter_by_prefix: 'presence-ä +' };
    const { status, text } = await tryOut(page, '/apps/{appId}/channels', undefined, parameters);
    expect({ status, text }).toEqual({ status: '200', text: expect.stringContaining('"channels"') });
  });

  it('signs with what is entered under Authorize, and shows the refusal', async () => {
    const page = await open('channels');
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    const dialog = page.locator('.auth-container').first();
    await dialog.locator('button', { hasText: 'Logout' }).click();
    await dialog.locator('input[name="username"]').fill('app-key');
    await dialog.locator('input[name="password"]').fill('wrong:secret');
    await dialog.locator('button', { hasText: 'Authorize' }).click();
    await dialog.locator('button', { hasText: 'Close' }).click();
    const { status, text } = await tryOut(page, '/apps/{appId}/channels');
    expect({ status, text }).toEqual({ status: '401', text: expect.stringContaining('Invalid signature') });
  });

  it('asks for key and secret once, and not for parts of a signature', async () => {
    const page = await open('channels');
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    expect(await page.locator('.auth-container h4').allTextContents()).toEqual([expect.stringContaining('app')]);
    expect(await page.getByText('auth_signature').count()).toBe(0);
  });

  it('sends requests of the push APIs as they are', async () => {
    const page = await open('push');
    const { status } = await tryOut(page, '/publish_api/v1/instances/{instanceId}/publishes/interests', {
      interests: ['a'],
    });
    expect(status).toMatch(/^4\d\d$/);
  });

  it.each([
    ['light', 'rgb(59, 65, 81)'],
    ['dark', 'rgb(228, 230, 230)'],
  ] as const)('follows the system: %s', async (theme, expected) => {
    const page = await open('channels', theme);
    const colour = await page.evaluate("getComputedStyle(document.querySelector('.swagger-ui')).color");
    expect(colour).toBe(expected);
  });
});
