import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApnsGateway, FcmGateway, PublishService, WebPushGateway } from 'rookery/publish';
import { instance } from '../support/push-app.js';
import { startPublishApp } from '../support/publish-app.js';

let app: Awaited<ReturnType<typeof startPublishApp>>;
let custom: Awaited<ReturnType<typeof startPublishApp>>;
beforeAll(async () => {
  const gateways = {
    apnsGateway: new ApnsGateway(),
    fcmGateway: new FcmGateway(),
    webGateway: new WebPushGateway(),
  };
  app = await startPublishApp({ publish: gateways });
  custom = await startPublishApp();
});
afterAll(async () => {
  await app.close();
  await custom.close();
});

const text = (bytes: number) => 'x'.repeat(bytes);
const update = (bytes: number) => ({ aps: { event: 'update', 'content-state': { text: text(bytes) } } });
const start = (bytes: number) => ({
  aps: { event: 'start', alert: { title: 'A' }, 'attributes-type': 'A', attributes: { text: text(bytes) } },
});

it.each<[platform: string, payload: object]>([
  ['apns', { aps: { alert: text(4096) } }],
  ['apns', { push_type: 'voip', aps: {}, data: { text: text(5120) } }],
  ['apns', update(5120)],
  ['apns', start(4096)],
  ['fcm', { notification: { title: text(4096) } }],
  ['web', { notification: { title: text(3993) } }],
])('a payload of %s that is too large for its push service is refused', async (platform, payload) => {
  const fine = { fcm: { notification: { title: 'hi' } } };
  const { status, json } = await app.publish({ interests: ['a'], ...fine, [platform]: payload });
  const description = `\`${platform}\`: Must not be larger than the push service accepts`;
  expect([status, json]).toEqual([422, { error: 'Unprocessable Entity', description }]);
});

it.each<[platform: string, payload: object]>([
  ['apns', { aps: { alert: text(3800) } }],
  ['apns', { push_type: 'voip', aps: {}, data: { text: text(5000) } }],
  ['apns', update(5000)],
  ['apns', start(3800)],
  ['fcm', { notification: { title: text(3800) } }],
  ['web', { notification: { title: text(3700) } }],
])('a payload of %s that fits is accepted', async (platform, payload) => {
  expect((await app.publish({ interests: ['a'], [platform]: payload })).status).toBe(200);
});

it('as an update of a Live Activity for users is refused with the way to do it', async () => {
  const publishes = app.app.get(PublishService);
  const publish = { users: ['alice'], apns: { aps: { event: 'update', 'content-state': {} } } };
  await expect(publishes.publishToUsers(instance.id, publish)).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining('goes to `interests`'),
  });
  const { apns } = publish;
  const toTokens = { users: ['alice'], apns: { ...apns, push_type: 'liveactivity' as const } };
  expect(await publishes.publishToUsers(instance.id, toTokens)).toHaveProperty('publishId');
});

it('counts what is added for the users, and is refused to the code of the host, too', async () => {
  const publishes = app.app.get(PublishService);
  const publish = { users: ['alice'], web: { notification: { title: text(3960) } } };
  await expect(publishes.publishToUsers(instance.id, publish)).rejects.toMatchObject({
    status: 422,
    message: '`web`: Must not be larger than the push service accepts',
  });
});

it.each<[platform: 'apns' | 'fcm' | 'web', payload: object, shown: (payload: any) => string]>([
  ['apns', { aps: { alert: { title: 'T', body: text(8000) } } }, ({ aps }) => aps.alert.body],
  ['fcm', { notification: { title: 'T', body: text(8000) } }, ({ notification }) => notification.body],
  ['web', { notification: { title: 'T', body: text(8000) } }, ({ notification }) => notification.body],
])('is shortened for %s if the host asks for it', async (platform, payload, shown) => {
  const publishes = app.app.get(PublishService);
  const body = { interests: ['a'], [platform]: payload };
  const { publishId } = await publishes.publishToInterests(instance.id, body, { shorten: true });
  const { payloads } = await publishes.find(instance.id, publishId);
  expect(shown(payloads[platform])).toMatch(/^x{3500,4000}…$/);
});

it('is sent to the other platforms if the host prefers that', async () => {
  const publishes = app.app.get(PublishService);
  const publish = { interests: ['a'], web: { notification: { title: text(4000) } }, fcm: { data: { a: '1' } } };
  expect(await publishes.publishToInterests(instance.id, publish, { partly: true })).toMatchObject({
    publishId: expect.stringMatching(/^pubid-/),
  });
});

it('is left to a gateway of the host that knows no limit', async () => {
  const { status } = await custom.publish({ interests: ['a'], fcm: { notification: { title: text(8000) } } });
  expect(status).toBe(200);
});
