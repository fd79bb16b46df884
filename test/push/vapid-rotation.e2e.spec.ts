import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebPushGateway } from 'rookery/publish';
import {
  type ConfiguredInstanceRepository,
  DeviceRepository,
  InstanceRepository,
  type WebCredentials,
} from 'rookery/push-device';
import { startPublishApp } from '../support/publish-app.js';
import { instance } from '../support/push-app.js';
import { type StandInWebPush, standInWebPush } from '../support/stand-ins/index.js';
import { authority } from '../support/tls/index.js';
import { until } from '../support/until.js';

/** Push services that each accept one key: that of the pages which subscribed there. */
let [before, after]: readonly StandInWebPush[] = [];
let app: Awaited<ReturnType<typeof startPublishApp>>;
beforeEach(async () => {
  [before, after] = await Promise.all([standInWebPush(), standInWebPush()]);
  const declarativeHosts = ['localhost'];
  const options = { ca: authority, allowPrivateNetwork: true, declarativeHosts, publicUrl: 'https://push.example' };
  app = await startPublishApp({
    instances: [{ ...instance, web: before.credentials }],
    devices: { allowPrivateNetwork: true },
    publish: { webGateway: new WebPushGateway(options) },
  });
});
afterEach(async () => {
  await app.close();
  await Promise.all([before!.close(), after!.close()]);
});

/** As a reload of the configuration does it. */
function serve(web: WebCredentials): void {
  app.app.get<ConfiguredInstanceRepository>(InstanceRepository, { strict: false }).replace([{ ...instance, web }]);
}

const pair = ({ credentials: { vapidPublicKey, vapidPrivateKey } }: StandInWebPush) => ({
  vapidPublicKey,
  vapidPrivateKey,
});
const rotate = () => serve({ ...after!.credentials, previous: [pair(before!)] });

const path = `/device_api/v1/instances/${instance.id}`;
async function register(token: string): Promise<string> {
  const { json } = await app.call('POST', `${path}/devices/web`, { body: { token } });
  await app.call('PUT', `${path}/devices/web/${json.id}/interests`, { body: { interests: ['news'] } });
  return json.id as string;
}

async function published() {
  const web = { notification: { title: 'Hello', deep_link: 'https://shop.example/' }, time_to_live: 0 };
  const { json } = await app.publish({ interests: ['news'], web });
  await until(async () => (await app.status(json.publishId)).state === 'finished', 'the publish has finished');
  return (await app.status(json.publishId)).platforms.web;
}

describe('an instance that has replaced its VAPID pair', () => {
  it('signs each push with the pair with which the browser subscribed', async () => {
    const early = before!.subscribe();
    const id = await register(early.token);
    rotate();
    expect((await app.call('GET', `${path}/web-vapid-public-key`)).json).toEqual({
      vapidPublicKey: after!.credentials.vapidPublicKey,
    });
    await register(after!.subscribe().token);
    expect(await published()).toMatchObject({ audience: 2, sent: 2, failed: {} });
    // The browser registers again, and keeps its subscription.
    expect(await register(early.token)).toBe(id);
    expect(await published()).toMatchObject({ audience: 2, sent: 2, failed: {} });
    expect([before!.count, after!.count]).toEqual([2, 2]);
  });

  it('keeps devices whose pair it no longer has, and says why they get nothing', async () => {
    const id = await register(before!.subscribe().token);
    rotate();
    await register(after!.subscribe().token);
    serve(after!.credentials);
    expect(await published()).toMatchObject({
      sent: 1,
      failed: { UnknownVapidKey: 1 },
      removedDevices: 0,
      explanations: [{ action: expect.stringContaining('web.previous') }],
    });
    expect((await app.call('GET', `${path}/devices/web/${id}`)).status).toBe(200);
    rotate();
    expect(await published()).toMatchObject({ sent: 2, failed: {} });
  });

  it('takes the oldest pair for browsers that registered before keys were kept', async () => {
    const devices = app.app.get(DeviceRepository, { strict: false });
    const { token } = before!.subscribe();
    const { id } = await devices.register(instance.id, { platform: 'web', token, metadata: {} }, Date.now());
    await devices.addInterest(instance.id, 'web', id, 'news');
    rotate();
    expect(await published()).toMatchObject({ sent: 1, failed: {} });
  });

  it('still counts openings of notifications from before', async () => {
    await register(before!.subscribe().token);
    await published();
    rotate();
    const link = before!.received[0]!.payload.notification.navigate.slice('https://push.example'.length);
    expect((await fetch(app.url + link, { redirect: 'manual' })).status).toBe(302);
    serve(after!.credentials);
    expect((await fetch(app.url + link, { redirect: 'manual' })).status).toBe(400);
  });
});
