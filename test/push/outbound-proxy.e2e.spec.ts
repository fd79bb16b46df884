import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApnsGateway, FcmGateway, type PreparedNotification, WebPushGateway } from 'rookery/publish';
import type { Instance } from 'rookery/push-device';
import { ConnectProxy, type ProxyConduct } from '../support/connect-proxy.js';
import { startPublishApp } from '../support/publish-app.js';
import { instance } from '../support/push-app.js';
import {
  type StandInApns,
  standInApns,
  type StandInFcm,
  standInFcm,
  type StandInWebPush,
  standInWebPush,
} from '../support/stand-ins/index.js';
import { authority } from '../support/tls/index.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let proxy: ConnectProxy;
let apple: StandInApns;
let google: StandInFcm;
let browsers: StandInWebPush;
let hooks: WebhookReceiver;
let app: Awaited<ReturnType<typeof startPublishApp>>;
beforeEach(async () => {
  [proxy, apple, google, browsers, hooks] = await Promise.all([
    ConnectProxy.start(),
    standInApns(),
    standInFcm(),
    standInWebPush({ host: 'web.push.example' }),
    WebhookReceiver.start(),
  ]);
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY']) vi.stubEnv(name, proxy.url());
  const gateway = { ca: authority, timeoutMs: 1000 };
  app = await startPublishApp({
    instances: [behindTheProxy()],
    publish: {
      apnsGateway: new ApnsGateway(gateway),
      fcmGateway: new FcmGateway(gateway),
      webGateway: new WebPushGateway({ ...gateway, allowedHosts: ['*.push.example'] }),
      firstRetryMs: 20,
      longestRetryMs: 100,
    },
  });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await app.close();
  await Promise.all([proxy, apple, google, browsers, hooks].map((each) => each.close()));
});

/** The same server by a name that only the proxy knows. */
const named = (url: string, name: string): string => url.replace(/localhost|127\.0\.0\.1/, `${name}.push.example`);

function behindTheProxy(): Instance {
  const { endpoint = '', serviceAccount } = google.credentials;
  const token_uri = named(serviceAccount.token_uri ?? '', 'oauth');
  return {
    ...instance,
    apns: { ...apple.credentials, endpoint: named(apple.url, 'apns') },
    fcm: { endpoint: named(endpoint, 'fcm'), serviceAccount: { ...serviceAccount, token_uri } },
    web: browsers.credentials,
  };
}

const devicesPath = `/device_api/v1/instances/${instance.id}/devices`;
async function register(platform: string, body: object): Promise<string> {
  const { json } = await app.call('POST', `${devicesPath}/${platform}`, { body });
  await app.call('PUT', `${devicesPath}/${platform}/${json.id}/interests`, { body: { interests: ['news'] } });
  return `${devicesPath}/${platform}/${json.id}`;
}

const registerAll = () =>
  Promise.all([
    register('apns', { token: 'ab'.repeat(32), bundleIdentifier: 'com.example.app' }),
    register('fcm', { token: 'android' }),
    register('web', { token: browsers.subscribe().token }),
  ]);

const everywhere = {
  interests: ['news'],
  apns: { aps: { alert: 'Hello' } },
  fcm: { notification: { title: 'Hello' } },
  web: { notification: { title: 'Hello' } },
};

async function publish(more: object = {}) {
  const { json } = await app.publish({ ...everywhere, ...more });
  const platforms = async () => Object.values<any>((await app.status(json.publishId)).platforms);
  const sent = () => until(async () => (await platforms()).every((each) => each.sent === 1), 'all platforms have sent');
  return { platforms, sent };
}

const askedHosts = () => new Set(proxy.asked.map((authorityOf) => authorityOf.split('.')[0]));

describe('a server whose network is closed but for a proxy', () => {
  it('sends pushes, asks for tokens and calls webhooks through it', async () => {
    await registerAll();
    const { sent } = await publish({ webhookUrl: named(hooks.url('/hook'), 'hooks') });
    await sent();
    await until(() => hooks.at('/hook').length > 0, 'the webhook has come');
    expect(askedHosts()).toEqual(new Set(['apns', 'fcm', 'oauth', 'web', 'hooks']));
    expect(proxy.opened).toBe(proxy.asked.length);
    expect(apple.connections).toBe(proxy.asked.filter((host) => host.startsWith('apns')).length);
  });

  it('opens one tunnel for many pushes', async () => {
    for (let at = 1; at <= 50; at++)
      await register('apns', { token: at.toString(16).padStart(64, '0'), bundleIdentifier: 'com.example.app' });
    const { json } = await app.publish({ interests: ['news'], apns: everywhere.apns });
    await until(async () => (await app.status(json.publishId)).platforms.apns.sent === 50, 'all are sent');
    expect(proxy.asked).toHaveLength(1);
  });

  it('gives the proxy the user and password of its URL', async () => {
    proxy.credentials = 'rookery:p@ss';
    for (const name of ['HTTPS_PROXY', 'HTTP_PROXY']) vi.stubEnv(name, proxy.url('rookery:p%40ss'));
    await registerAll();
    const { platforms, sent } = await publish();
    await sent();
    expect(await platforms()).toMatchObject([{ sent: 1 }, { sent: 1 }, { sent: 1 }]);
  });

  it.each<ProxyConduct>([407, 502, 'drop', 'hang', 'garbage', 'garbage in the tunnel'])(
    'waits while the proxy answers %s, blames no device, and sends once it works',
    async (conduct) => {
      const paths = await registerAll();
      proxy.conduct = conduct;
      const { platforms, sent } = await publish();
      const waits = (each: any): boolean => each.retrying === 1 && each.explanations !== undefined;
      await until(async () => (await platforms()).every(waits), 'all wait');
      for (const each of await platforms()) {
        expect(each).toMatchObject({ sent: 0, failed: {}, removedDevices: 0 });
        expect(each).not.toHaveProperty('fault');
        expect(each.explanations[0].reason).toMatch(/^(Unreachable|Timeout|NoAccessToken)/);
      }
      proxy.conduct = 'connect';
      await sent();
      for (const path of paths) expect((await app.call('GET', path)).status).toBe(200);
    },
  );

  it.each<[ProxyConduct, string]>([
    [407, 'Unreachable (PROXY_407)'],
    ['drop', 'Unreachable (PROXY_ECONNRESET)'],
    ['hang', 'Unreachable (PROXY_TIMEOUT)'],
  ])('gives as the reason that the proxy answers %s', async (conduct, reason) => {
    proxy.conduct = conduct;
    const gateway = new ApnsGateway({ ca: authority, timeoutMs: 500 });
    const facts = { instance: behindTheProxy(), publishId: 'pubid-1', publishedAt: Date.now() };
    const prepared = (await gateway.prepare({ ...facts, payload: everywhere.apns })) as PreparedNotification;
    const device = { id: 'apns-1', platform: 'apns', token: 'ab', bundleIdentifier: 'a.b', registeredAt: 0 } as const;
    await expect(prepared.send(device)).rejects.toMatchObject({ reason });
    await gateway.close();
  });

  it.each<ProxyConduct>(['garbage', 'garbage in the tunnel', 'drop'])(
    'does not ask a proxy that answers with %s for each push',
    async (conduct) => {
      proxy.conduct = conduct;
      const gateways = [
        [new ApnsGateway({ ca: authority }), 'apns', 'ab'],
        [new FcmGateway({ ca: authority }), 'fcm', 'android'],
        [new WebPushGateway({ ca: authority, allowedHosts: ['*.push.example'] }), 'web', browsers.subscribe().token],
      ] as const;
      const facts = { instance: behindTheProxy(), publishId: 'pubid-1', publishedAt: Date.now() };
      const sends = gateways.map(async ([gateway, platform, token]) => {
        const prepared = (await gateway.prepare({ ...facts, payload: everywhere[platform] })) as PreparedNotification;
        const device = { id: '1', platform, token, bundleIdentifier: 'a.b', registeredAt: 0 };
        for (const end = performance.now() + 1000; performance.now() < end; await delay(10))
          await expect(prepared.send(device)).rejects.toThrow();
        await gateway.close();
      });
      await Promise.all(sends);
      expect(askedHosts().size).toBe(3);
      for (const host of new Set(proxy.asked))
        expect(proxy.asked.filter((asked) => asked === host).length).toBeLessThan(8);
    },
  );

  it('connects directly to the hosts of NO_PROXY', async () => {
    vi.stubEnv('NO_PROXY', 'apns.push.example');
    await registerAll();
    const { platforms } = await publish();
    await until(async () => (await platforms()).filter((each) => each.sent === 1).length === 2, 'the others are sent');
    await until(async () => (await platforms()).some((each) => each.retrying === 1), 'one waits');
    expect(askedHosts()).not.toContain('apns');
    vi.stubEnv('NO_PROXY', '');
    await until(async () => (await platforms()).every((each) => each.sent === 1), 'all are sent');
  });
});
