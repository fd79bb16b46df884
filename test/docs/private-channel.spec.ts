import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChannelsServer, startChannels } from '../support/channels-server.js';
import { describeChromium, launchChromium } from '../support/chromium.js';
import { freePort } from '../support/free-port.js';
import { describeNode } from '../support/services.js';
import { until } from '../support/until.js';

// The files of docs/private-channel.md, in a reader's folder. That the page shows them is what snippets.spec.ts looks after.

const files = join(import.meta.dirname, 'private-channel');
const folder = mkdtempSync(join(tmpdir(), 'rookery-private-'));
let rookery: ChannelsServer;
let reader: ChildProcess;
let site: string;

beforeAll(async () => {
  rookery = await startChannels({ apps: [{ id: 'app-id', key: 'app-key', secret: 'app-secret' }] });
  const port = await freePort();
  cpSync(files, folder, { recursive: true });
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'));
  for (const name of ['server.mjs', 'index.html']) {
    const text = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), text.replaceAll('6001', `${rookery.port}`).replaceAll('3000', `${port}`));
  }
  site = `http://127.0.0.1:${port}`;
  reader = spawn(process.execPath, ['server.mjs'], { cwd: folder, stdio: 'inherit' });
  const answers = () =>
    fetch(site).then(
      () => true,
      () => false,
    );
  await until(answers, 'it listens');
});
afterAll(async () => {
  reader.kill();
  await rookery.close();
  rmSync(folder, { recursive: true });
});

async function authorize(channel: string, cookie = ''): Promise<number> {
  const body = new URLSearchParams({ socket_id: '1.2', channel_name: channel });
  const { status } = await fetch(`${site}/pusher/auth`, { method: 'POST', body, headers: { cookie } });
  return status;
}

describeNode('the server of the page', () => {
  it('signs for the channel of the signed-in user, and for no other', async () => {
    expect(await authorize('private-user-ann', 'user=ann')).toBe(200);
    expect(await authorize('private-user-ann', 'user=bob')).toBe(403);
    expect(await authorize('private-user-ann')).toBe(403);
    expect(await authorize('private-staff', 'user=ann')).toBe(403);
  });
});

describeChromium('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  async function open(user: string) {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${site}/?user=${user}`);
    return page;
  }

  it('reaches Ann on her channel, and refuses Bob', async () => {
    const ann = await open('ann');
    await ann.getByText('subscribed').waitFor();
    expect(await (await fetch(`${site}/say?to=ann&text=hello`)).text()).toBe('sent\n');
    await ann.getByText('hello').waitFor();
    const bob = await open('bob');
    await bob.getByText('refused: 403').waitFor();
    expect(await bob.locator('#heard').textContent()).toBe('refused: 403');
  });
});
