import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PublishService } from 'rookery/publish';
import { startPublishApp } from '../support/publish-app.js';
import { instance, otherInstance } from '../support/push-app.js';
import { until } from '../support/until.js';

const fcm = { notification: { title: 'hi' } };
const hour = 3_600_000;
const inMs = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
const path = (id: string, instanceId = instance.id) => `/publish_api/v1/instances/${instanceId}/publishes/${id}`;
const authorization = `Bearer ${instance.secretKey}`;

describe.each(['Fastify', 'Express'] as const)('scheduled publishes on %s', (platform) => {
  let app: Awaited<ReturnType<typeof startPublishApp>>;
  beforeAll(async () => {
    app = await startPublishApp({ platform });
  });
  afterAll(() => app.close());

  const cancel = (id: string, headers = { authorization }) => app.call('DELETE', path(id), { headers });
  const publishAt = async (at: string, interest: string, more: Record<string, string> = {}) =>
    app.publish({ interests: [interest], fcm }, { 'publish-at': at, ...more });

  it('are sent at their time', async () => {
    const device = await app.registered(['soon']);
    const at = inMs(300);
    const { json } = await publishAt(at, 'soon');
    await until(async () => (await app.status(json.publishId)).state === 'finished', 'it is sent');
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(at));
    expect(app.gateways.fcm.sent).toContain(device);
  });

  it('with a past time are sent at once', async () => {
    const { json } = await publishAt(inMs(-hour), 'late');
    await until(async () => (await app.status(json.publishId)).state === 'finished', 'it is sent');
  });

  it('can be cancelled until then, and again', async () => {
    const device = await app.registered(['never']);
    const at = inMs(hour);
    const { json } = await publishAt(at, 'never');
    expect(await app.status(json.publishId)).toMatchObject({ state: 'scheduled', publishAt: at });
    expect(await cancel(json.publishId)).toMatchObject({ status: 200, json: { state: 'cancelled' } });
    expect(await cancel(json.publishId)).toMatchObject({ status: 200, json: { state: 'cancelled' } });
    await until(async () => 'finishedAt' in (await app.status(json.publishId)), 'it is over');
    expect(app.gateways.fcm.sent).not.toContain(device);
  });

  it('cannot be cancelled once they have finished', async () => {
    const { json } = await app.publish({ interests: ['over'], fcm });
    await until(async () => (await app.status(json.publishId)).state === 'finished', 'it is sent');
    const refused = { error: 'Conflict', description: 'The publish has finished' };
    expect(await cancel(json.publishId)).toMatchObject({ status: 409, json: refused });
  });

  it('are cancelled by their own instance only, with its key', async () => {
    const { publishId } = (await publishAt(inMs(hour), 'mine')).json;
    expect(await cancel(publishId, { authorization: 'Bearer wrong' })).toMatchObject({ status: 401 });
    expect(await cancel(publishId, { authorization: '' })).toMatchObject({ status: 400 });
    const elsewhere = await app.call('DELETE', path(publishId, otherInstance.id), { headers: { authorization } });
    expect(elsewhere).toMatchObject({ status: 404, json: { description: 'Publish not found' } });
    expect(await cancel('pubid-nothing')).toMatchObject({ status: 404 });
    expect(await app.status(publishId)).toMatchObject({ state: 'scheduled' });
  });

  it.each(['tomorrow', '2026-02-30T00:00:00Z', inMs(28 * 24 * hour + 60_000), ''])(
    'are refused for Publish-At: %s',
    async (at) => {
      const { status, json } = await publishAt(at, 'refused');
      expect({ status, json }).toMatchObject({ status: 400, json: { error: 'Bad request' } });
      expect(json.description).toContain('`Publish-At`');
    },
  );

  it('are accepted up to 28 days ahead', async () => {
    const { status, json } = await publishAt(inMs(28 * 24 * hour - 1000), 'far');
    expect(status).toBe(200);
    await cancel(json.publishId);
  });

  it('count once with an Idempotency-Key, also when they are repeated after their time', async () => {
    const key = { 'idempotency-key': 'scheduled' };
    const at = inMs(100);
    const { json } = await publishAt(at, 'key', key);
    expect((await publishAt(at, 'key', key)).json).toEqual(json);
    await until(async () => (await app.status(json.publishId)).state === 'finished', 'it is sent');
    expect((await publishAt(at, 'key', key)).json).toEqual(json);
    expect(await publishAt(inMs(hour), 'key', key)).toMatchObject({ status: 422 });
  });
});

it('a host schedules and cancels through PublishService', async () => {
  const app = await startPublishApp();
  const publishes = app.app.get(PublishService);
  const body = { interests: ['news'], fcm };
  const { publishId } = await publishes.publishToInterests(instance.id, body, {
    publishAt: new Date(Date.now() + hour),
  });
  expect(await publishes.status(instance.id, publishId)).toMatchObject({ state: 'scheduled' });
  expect(await publishes.cancel(instance.id, publishId)).toMatchObject({ state: 'cancelled' });
  const invalid = { publishAt: new Date('never') };
  await expect(publishes.publishToInterests(instance.id, body, invalid)).rejects.toMatchObject({ status: 400 });
  await app.close();
});
