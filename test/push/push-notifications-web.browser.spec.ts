import PushNotifications from '@pusher/push-notifications-server';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebPushGateway } from 'rookery/publish';
import { deliver, subscribeAtStandIn } from '../support/browser-push.js';
import { describeChromium, startChromium } from '../support/chromium.js';
import { api, startPublishApp } from '../support/publish-app.js';
import { instance } from '../support/push-app.js';
import { type StandInWebPush, standInWebPush } from '../support/stand-ins/index.js';
import { authority } from '../support/tls/index.js';

declare const window: any;
declare const self: any;

const sdk = join(import.meta.dirname, '../../node_modules/@pusher/push-notifications-web');

/** The web SDK in a real browser: only the subscription itself is a stand-in's, since no push service can be reached. */
describeChromium('@pusher/push-notifications-web', () => {
  let vendor: StandInWebPush;
  let app: Awaited<ReturnType<typeof startPublishApp>>;
  let calls: ReturnType<typeof api>;
  let site: Server;
  let browser: { context: BrowserContext; close(): Promise<void> };
  let page: Page;
  const server = () =>
    new PushNotifications({
      instanceId: instance.id,
      secretKey: instance.secretKey,
      endpoint: '127.0.0.1',
      port: app.port,
    } as any);

  beforeAll(async () => {
    vendor = await standInWebPush();
    app = await startPublishApp({
      instances: [{ ...instance, web: vendor.credentials }],
      devices: { allowPrivateNetwork: true },
      publish: { webGateway: new WebPushGateway({ ca: authority, allowPrivateNetwork: true }) },
    });
    calls = api(app.call, instance);
    site = serveSite(() => server().generateToken('alice'));
    await new Promise<void>((resolve) => site.listen(0, 'localhost', resolve));
    const origin = `http://localhost:${(site.address() as AddressInfo).port}`;
    browser = await startChromium(origin);
    await browser.context.addInitScript(
      subscribeAtStandIn,
      Buffer.from(vendor.subscribe('chromium').token, 'base64').toString(),
    );
    page = await browser.context.newPage();
    await page.goto(origin);
  });
  afterAll(async () => {
    await browser?.close();
    site?.close();
    await app?.close();
    await vendor?.close();
  });

  /** Runs a step of the story in the page, with its client. */
  const inPage = <T>(step: (client: any) => Promise<T>): Promise<T> =>
    page.evaluate(`(${step.toString()})(window.client)`) as Promise<T>;
  const device = async (id: string) => app.call('GET', `/device_api/v1/instances/${instance.id}/devices/web/${id}`);

  it('registers, subscribes to interests and reads them back page by page', async () => {
    await page.evaluate(
      ([instanceId, endpointOverride]) => window.startClient(instanceId, endpointOverride),
      [instance.id, app.url],
    );
    const id = await inPage(async (client) => client.getDeviceId());
    expect(id).toMatch(/^web-[0-9a-f-]{36}$/);
    expect((await device(id)).json).toMatchObject({ id, userId: '', metadata: { sdkVersion: '2.1.0' } });

    await inPage(async (client) => {
      await client.addDeviceInterest('hello');
      await client.addDeviceInterest('do,nuts;=@.-_');
      await client.removeDeviceInterest('hello');
    });
    expect(await inPage(async (client) => client.getDeviceInterests())).toEqual({ interests: ['do,nuts;=@.-_'] });
    await inPage(async (client) => client.setDeviceInterests(Array.from({ length: 150 }, (_, i) => `i-${i}`)));
    const first: any = await inPage(async (client) => client.getDeviceInterests());
    expect(first.interests).toHaveLength(100);
    const rest: any = await page.evaluate(
      async (cursor) => window.client.getDeviceInterests(100, cursor),
      first.nextCursor,
    );
    expect(new Set([...first.interests, ...rest.interests]).size).toBe(150);
    expect(rest.nextCursor).toBeUndefined();
  });

  it('belongs to a user, who may be set again', async () => {
    const setUser = async () =>
      page.evaluate(async () =>
        window.client.setUserId('alice', new window.PusherPushNotifications.TokenProvider({ url: '/token' })),
      );
    await setUser();
    await page.reload();
    await page.evaluate(([id, url]) => window.startClient(id, url), [instance.id, app.url]);
    await setUser();
    const id = await inPage(async (client) => client.getDeviceId());
    expect((await device(id)).json).toMatchObject({ userId: 'alice' });
  });

  it('shows a publish, encrypted in transit, and reports its delivery and its opening', async () => {
    const { publishId } = await server().publishToUsers(['alice'], {
      web: { notification: { title: 'Hello', body: 'Hello, world!' }, data: { score: 3 } },
    });
    // By its id: a second try of this test finds what the first one published, too.
    const received = () => vendor.received.filter(({ payload }) => payload.data.pusher.publishId === publishId);
    await expect.poll(() => received()).toHaveLength(1);
    const [{ payload, headers }] = received() as [(typeof vendor.received)[0]];
    expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '2419200' });
    expect(payload.data.pusher).toEqual({
      instanceId: instance.id,
      publishId,
      hasDisplayableContent: true,
      hasData: true,
    });

    const [worker] = browser.context.serviceWorkers();
    await worker!.evaluate(async () => {
      for (const earlier of await self.registration.getNotifications()) earlier.close();
    });
    await deliver(page, JSON.stringify(payload));
    await expect.poll(async () => (await calls.status(publishId)).platforms.web).toMatchObject({ delivered: 1 });
    const shown = () =>
      worker!.evaluate(async () => (await self.registration.getNotifications()).map((each: any) => each.title));
    await expect.poll(() => shown()).toEqual(['Hello']);
    await worker!.evaluate(async () => {
      const [notification] = await self.registration.getNotifications();
      self.dispatchEvent(new self.NotificationEvent('notificationclick', { notification }));
    });
    await expect.poll(async () => (await calls.status(publishId)).platforms.web).toMatchObject({ opened: 1 });
  });

  it('is removed when it stops', async () => {
    const id = await inPage(async (client) => client.getDeviceId());
    await inPage(async (client) => client.stop());
    expect((await device(id)).status).toBe(404);
  });
});

const page = `<!doctype html><title>Rookery</title><script src="/sdk.js"></script><script>
window.startClient = async (instanceId, endpointOverride) => {
  const query = '/worker.js?endpoint=' + encodeURIComponent(endpointOverride);
  const serviceWorkerRegistration = await navigator.serviceWorker.register(query, { type: 'module', scope: '/' });
  window.client = new PusherPushNotifications.Client({ instanceId, endpointOverride, serviceWorkerRegistration });
  await window.client.start();
};
</script>`;

// The SDK's own worker; the package has only its source, whose imports name no extension.
const worker = `import '/src/service-worker';
self.PusherPushNotifications.endpointOverride = new URL(self.location.href).searchParams.get('endpoint');`;

function serveSite(token: () => object): Server {
  return createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const send = (type: string, body: string | Buffer) => response.writeHead(200, { 'content-type': type }).end(body);
    if (pathname === '/') return send('text/html', page);
    if (pathname === '/token') return send('application/json', JSON.stringify(token()));
    if (pathname === '/worker.js') return send('text/javascript', worker);
    if (pathname === '/sdk.js')
      return send('text/javascript', readFileSync(join(sdk, 'dist/push-notifications-cdn.js')));
    if (pathname.startsWith('/src/')) return send('text/javascript', readFileSync(join(sdk, `${pathname}.js`)));
    return response.writeHead(404).end();
  });
}
