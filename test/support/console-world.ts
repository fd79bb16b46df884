import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import Pusher from 'pusher';
import { afterAll, beforeAll } from 'vitest';
import { launchChromium } from './chromium.js';
import { PusherJs } from './pusher-js.js';
import { buildServer, ServerProcess } from './server-process.js';
import { type StandInFcm, standInFcm } from './stand-ins/index.js';
import { WebhookReceiver } from './webhook-receiver.js';

export const consolePassword = 'correct horse battery staple';
export const shop = { id: 'shop', key: 'shop-key', secret: 'shop-secret' };
const second = { id: 'second', key: 'second-key', secret: 'second-secret' };
export const pushInstance = { id: '8a0c0f3c-3b1e-4c53-9a52-0d6d7c1b6a01', secretKey: 'push-secret' };

/** Pictures of the pages; git ignores it. */
const pictures = fileURLToPath(new URL('../../test-results/console/', import.meta.url));

/** A server with the console on, with clients, endpoints and a browser. */
export class ConsoleWorld {
  readonly complaints: string[] = [];
  private readonly clients: PusherJs[] = [];

  constructor(
    readonly server: ServerProcess,
    readonly browser: Browser,
    readonly receiver: WebhookReceiver,
    readonly google: StandInFcm,
  ) {}

  readonly pusher = ({ id, key, secret } = shop): Pusher =>
    new Pusher({
      appId: id,
      key,
      secret,
      host: '127.0.0.1',
      port: String(this.server.port),
      useTLS: false,
    });

  /** A client of the app, as on any page; it may join any channel. */
  client(userId = 'alice', info: object = {}, key = shop.key): PusherJs {
    const signer = key === second.key ? this.pusher(second) : this.pusher();
    const client = new PusherJs(key, {
      cluster: 'self',
      wsHost: '127.0.0.1',
      wsPort: this.server.port,
      forceTLS: false,
      enabledTransports: ['ws'],
      channelAuthorization: {
        transport: 'ajax',
        endpoint: '',
        customHandler: ({ socketId, channelName }, answer) =>
          answer(null, signer.authorizeChannel(socketId, channelName, { user_id: userId, user_info: info })),
      },
      userAuthentication: {
        transport: 'ajax',
        endpoint: '',
        customHandler: ({ socketId }, answer) =>
          answer(null, signer.authenticateUser(socketId, { id: userId, ...info })),
      },
    });
    this.clients.push(client);
    return client;
  }

  /** Registers an Android device with its interests. Answers its id. */
  async registered(token: string, interests: readonly string[]): Promise<string> {
    const devices = `${this.server.url}/device_api/v1/instances/${pushInstance.id}/devices/fcm`;
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(devices, { method: 'POST', headers, body: JSON.stringify({ token }) });
    const { id } = (await answer.json()) as { id: string };
    await fetch(`${devices}/${id}/interests`, { method: 'PUT', headers, body: JSON.stringify({ interests }) });
    return id;
  }

  /** A separate browser. Its errors are recorded. */
  async visitor(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.on(
      'console',
      (message) => message.type() === 'error' && this.complaints.push(`${message.text()} ${message.location().url}`),
    );
    context.on('weberror', (error) => this.complaints.push(error.error().message));
    return context;
  }

  /** Asks the console's API as a script does. */
  async ask(method: string, path: string, body?: unknown): Promise<any> {
    const headers = { authorization: `Bearer ${consolePassword}`, 'content-type': 'application/json' };
    const answer = await fetch(this.address(`/api/${path}`), { method, headers, body: JSON.stringify(body) ?? null });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  address(path: string): string {
    return `${this.server.url}/console${path}`;
  }

  /** Opens a page of the console in a browser that is signed in. */
  async open(context: BrowserContext, path: string): Promise<Page> {
    if ((await context.cookies(this.address('/'))).length === 0)
      await context.request.post(this.address('/api/session'), { data: { password: consolePassword } });
    const page = await context.newPage();
    await page.goto(this.address(path));
    return page;
  }

  async picture(page: Page, name: string): Promise<void> {
    mkdirSync(pictures, { recursive: true });
    await page.screenshot({ path: join(pictures, `${name}.png`) });
  }

  async close(): Promise<void> {
    for (const client of this.clients) client.disconnect();
    await this.browser.close();
    await this.server.stop();
    await Promise.all([this.receiver.close(), this.google.close()]);
  }
}

/** One world for the tests of a file, with more variables of the server. Only inside hooks and tests. */
export function useConsole(variables: Readonly<Record<string, string>> = {}): () => ConsoleWorld {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-console-'));
  let world: ConsoleWorld;
  beforeAll(async () => {
    const [receiver, google, browser] = await Promise.all([
      WebhookReceiver.start(),
      standInFcm(),
      launchChromium(),
      buildServer(),
    ]);
    const config = {
      apps: [
        { ...shop, clientEvents: true, webhooks: [{ url: receiver.url('/hooks'), events: ['channel_occupied'] }] },
        second,
      ],
      // One try each.
      channels: { webhooks: { retryMs: 0, deadLetters: 200 } },
      instances: [{ ...pushInstance, fcm: google.credentials }],
      publish: { pollMs: 50 },
      notifications: [{ app: shop.id, pushAfterSeconds: 1 }],
      console: { password: consolePassword },
    };
    writeFileSync(join(folder, 'rookery.json'), JSON.stringify(config));
    const environment = {
      CONFIG_FILE: join(folder, 'rookery.json'),
      DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`,
      ALLOW_PRIVATE_NETWORK: 'true',
      ...variables,
    };
    world = new ConsoleWorld(await ServerProcess.start(environment), browser, receiver, google);
  }, 180_000);
  afterAll(async () => {
    await world?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return () => world;
}
