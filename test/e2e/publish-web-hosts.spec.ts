import { createECDH, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
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

async function publishedTo(webPushHosts: readonly string[] | undefined, path: string) {
  const served = { ...instance, web };
  const { call, close } = await startApp([
    PushDeviceModule.forRoot({ instances: [served], allowPrivateNetwork: true }),
    PublishModule.forRoot({ pollMs: 20, allowPrivateNetwork: true, webPushHosts }),
  ]);
  const endpoint = vendor.url(path);
  const token = btoa(JSON.stringify({ endpoint, keys: { p256dh, auth: randomBytes(16).toString('base64url') } }));
  const devices = `/device_api/v1/instances/${instance.id}/devices/web`;
  const { json } = await call('POST', devices, { body: { token } });
  await call('PUT', `${devices}/${json.id}/interests`, { body: { interests: ['news'] } });
  const { publish, status } = api(call, served);
  const { publishId } = (await publish({ interests: ['news'], web: { notification: { title: 'hi' } } })).json;
  await until(async () => (await status(publishId)).state === 'finished', 'it has finished');
  const { platforms } = await status(publishId);
  await close();
  return platforms.web;
}

it.each([undefined, ['127.0.0.1'], ['push.example', '127.0.0.1']])(
  'pushes to the host of a device where %j may be pushed to',
  async (hosts) => {
    const path = `/${hosts?.length}`;
    expect(await publishedTo(hosts, path)).toMatchObject({ sent: 1, failed: {} });
    expect(vendor.at(path)).toHaveLength(1);
  },
);

it('asks no other host than those that may be pushed to, and keeps the device', async () => {
  const stands = { sent: 0, failed: { 'UnsafeUrl (host)': 1 }, removedDevices: 0 };
  expect(await publishedTo(['*.push.example'], '/other')).toMatchObject(stands);
  expect(vendor.at('/other')).toEqual([]);
});
