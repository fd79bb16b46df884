import { afterEach, describe, expect, it } from 'vitest';
import { WebPushGateway } from 'rookery/publish';
import { startPublishApp } from '../support/publish-app.js';
import { instance, type platformAdapters } from '../support/push-app.js';
import { standInWebPush } from '../support/stand-ins/index.js';
import { authority } from '../support/tls/index.js';
import { until } from '../support/until.js';

const to = 'https://shop.example/orders/7?from=push#now';
const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

/** A publish to a browser that shows notifications itself, and what its push service got. */
async function published(platform: keyof typeof platformAdapters) {
  const vendor = await standInWebPush();
  ending.push(() => vendor.close());
  const served = { ...instance, web: vendor.credentials };
  const publicUrl = 'https://push.example';
  const declarativeHosts = [new URL(vendor.url).hostname];
  const options = { ca: authority, allowPrivateNetwork: true, declarativeHosts, publicUrl };
  const app = await startPublishApp({
    instances: [served],
    platform,
    devices: { allowPrivateNetwork: true },
    publish: { webGateway: new WebPushGateway(options) },
  });
  ending.push(() => app.close());
  const devices = `/device_api/v1/instances/${instance.id}/devices/web`;
  const { token } = vendor.subscribe();
  const { id } = (await app.call('POST', devices, { body: { token } })).json;
  await app.call('PUT', `${devices}/${id}/interests`, { body: { interests: ['orders'] } });
  const notification = { title: 'Shipped', body: 'Order 7', deep_link: to };
  const { publishId } = (await app.publish({ interests: ['orders'], web: { notification } })).json;
  await until(() => vendor.received.length === 1, 'the push has come');
  return { app, publicUrl, publishId, notification, payload: vendor.received[0]!.payload };
}

describe.each(['Express', 'Fastify'] as const)('a notification that the browser shows itself, on %s', (platform) => {
  it('counts its opening, and leads on to its link', async () => {
    const { app, publicUrl, publishId, notification, payload } = await published(platform);
    const { navigate, ...shown } = payload.notification;
    expect({ ...payload, notification: shown }).toEqual({
      web_push: 8030,
      notification,
      data: { pusher: { instanceId: instance.id, publishId, hasDisplayableContent: true, hasData: false } },
    });
    expect(navigate).toContain(`${publicUrl}/reporting_api/v2/instances/${instance.id}/opens/${publishId}/`);

    const path = navigate.slice(publicUrl.length);
    await fetch(app.url + path, { method: 'HEAD', redirect: 'manual' });
    expect((await app.status(publishId)).platforms.web).toMatchObject({ opened: 0 });
    for (const _click of [1, 2]) {
      const { status, headers } = await fetch(app.url + path, { redirect: 'manual' });
      expect([status, headers.get('location'), headers.get('cache-control')]).toEqual([302, to, 'no-store']);
    }
    expect((await app.status(publishId)).platforms.web).toMatchObject({ sent: 1, opened: 1 });
  });

  it.each([
    ['another target', (path: string) => path.replace('shop.example', 'evil.example')],
    ['another device', (path: string) => path.replace(/opens\/([^/]+)\/[^?]+/, 'opens/$1/web-other')],
    ['no signature', (path: string) => path.replace(/&signature=.*/, '')],
    ['two targets', (path: string) => `${path}&to=https://evil.example`],
    ['an unknown instance', (path: string) => path.replace(instance.id, '00000000-0000-4000-8000-000000000000')],
  ])('leads nowhere with %s', async (_what, changed) => {
    const { app, publicUrl, publishId, payload } = await published(platform);
    const path = changed(payload.notification.navigate.slice(publicUrl.length));
    expect(await app.call('GET', path)).toMatchObject({ status: 400 });
    expect((await app.status(publishId)).platforms.web).toMatchObject({ opened: 0 });
  });
});
