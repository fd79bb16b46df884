import { createECDH, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PublishModule, type PublishOptions } from 'rookery/publish';
import { DeviceRepository, PushDeviceModule } from 'rookery/push-device';
import { api } from '../support/publish-app.js';
import { instance, startApp } from '../support/push-app.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const keys = createECDH('prime256v1');
const p256dh = keys.generateKeys('base64url');
const web = {
  vapidPublicKey: p256dh,
  vapidPrivateKey: keys.getPrivateKey('base64url'),
  subject: 'mailto:tests@rookery.example',
};
let vendor: WebhookReceiver;
beforeAll(async () => {
  vendor = await WebhookReceiver.start();
});
afterAll(() => vendor.close());

const served = { ...instance, web };
const start = (publish: PublishOptions) =>
  startApp([
    PushDeviceModule.forRoot({ instances: [served], allowPrivateNetwork: true }),
    PublishModule.forRoot({ pollMs: 20, ...publish }),
  ]);
const subscribedAt = (endpoint: string): string =>
  btoa(JSON.stringify({ endpoint, keys: { p256dh, auth: randomBytes(16).toString('base64url') } }));

/** What becomes of a publish to a browser whose push service is at the endpoint. */
async function publishedTo(endpoint: string, publish: PublishOptions) {
  const { app, call, close } = await start(publish);
  // As an earlier release has taken it, or before the settings changed.
  const registration = { platform: 'web', token: subscribedAt(endpoint), metadata: {} } as const;
  const devices = app.get(DeviceRepository);
  const { id } = await devices.register(instance.id, registration, Date.now());
  await devices.setInterests(instance.id, 'web', id, new Set(['news']));
  const { publish: send, status } = api(call, served);
  const { publishId } = (await send({ interests: ['news'], web: { notification: { title: 'hi' } } })).json;
  await until(async () => (await status(publishId)).state === 'finished', 'it has finished');
  const { platforms } = await status(publishId);
  await close();
  return platforms.web;
}

it.each([undefined, ['*'], ['127.0.0.1'], ['push.example']])(
  'pushes to a private host if private networks are allowed, with the list %j',
  async (webPushHosts) => {
    const path = `/${webPushHosts?.[0]}`;
    const pushed = await publishedTo(vendor.url(path), { allowPrivateNetwork: true, webPushHosts });
    expect(pushed).toMatchObject({ sent: 1, failed: {} });
    expect(vendor.at(path)).toHaveLength(1);
  },
);

it.each([
  ['a public host that is not listed', 'https://1.0.0.255/push', {}, 'host'],
  ['one beside a private network that is allowed', 'https://1.0.0.255/push', { allowPrivateNetwork: true }, 'host'],
  ['one beside those that are named', 'https://1.0.0.255/push', { webPushHosts: ['*.push.example'] }, 'host'],
  ['a private host', 'https://127.0.0.1/push', {}, 'host'],
  [
    'a private host where every public one may be asked',
    'https://10.0.0.1',
    { webPushHosts: ['*'] },
    'private-address',
  ],
] as const)('sends no request to %s, and keeps the device', async (_what, endpoint, publish, reason) => {
  const stands = { sent: 0, failed: { [`UnsafeUrl (${reason})`]: 1 }, removedDevices: 0 };
  expect(await publishedTo(endpoint, publish)).toMatchObject(stands);
});

it.each([
  ['https://fcm.googleapis.com/fcm/send/1', {}, undefined],
  ['https://push.example/1', {}, 'webPushHosts'],
  ['https://push.example/1', { webPushHosts: ['*.example'] }, undefined],
  ['https://push.example/1', { webPushHosts: ['*'] }, undefined],
  ['https://push.example/1', { allowPrivateNetwork: true }, undefined],
  ['https://1.0.0.255/1', { allowPrivateNetwork: true }, 'webPushHosts'],
  ['https://127.0.0.1/1', {}, 'webPushHosts'],
  ['https://127.0.0.1/1', { webPushHosts: ['*'] }, 'allowPrivateNetwork'],
  ['https://[::1]/1', { webPushHosts: ['*'] }, 'allowPrivateNetwork'],
  ['https://[::1]/1', { allowPrivateNetwork: true }, undefined],
] as const)('registers %s with %j unless no push could be sent: %s', async (endpoint, publish, setting) => {
  const { call, close } = await start(publish);
  const path = `/device_api/v1/instances/${instance.id}/devices/web`;
  const { status, text } = await call('POST', path, { body: { token: subscribedAt(endpoint) } });
  await close();
  expect(status).toBe(setting === undefined ? 200 : 400);
  expect(text).toContain(setting ?? '"id"');
});
