import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeviceRepository } from 'rookery/push-device';
import { instance } from '../support/push-app.js';
import { startPublishApp } from '../support/publish-app.js';

const events = ['v1.UserNotificationAcknowledgement', 'v1.UserNotificationOpen', 'v1.PublishToUsersAttempt'];
const received: { headers: IncomingHttpHeaders; body: string }[] = [];
const receiver = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    received.push({ headers: request.headers, body });
    response.end();
  });
});

let app: Awaited<ReturnType<typeof startPublishApp>>;
beforeAll(async () => {
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const webhooks = [{ url, secret: 'webhook secret', events, customData: { team: 7 } }];
  app = await startPublishApp({ instances: [{ ...instance, webhooks }] });
});
afterAll(async () => {
  await app.close();
  receiver.close();
});

async function publishToOne(): Promise<{ deviceId: string; publishId: string }> {
  const deviceId = await app.registered(['reports']);
  const { json } = await app.publish({ interests: ['reports'], fcm: {} });
  return { deviceId, publishId: json.publishId };
}
const counts = async (publishId: string) => {
  const { delivered, opened } = (await app.status(publishId)).platforms.fcm;
  return { delivered, opened };
};

describe('POST reporting_api/v2/…/events', () => {
  it('counts delivery and open once per device, in any spelling', async () => {
    const { deviceId, publishId } = await publishToOne();
    const other = await app.registered();
    const web = { publishId, deviceId, userId: null, timestampSecs: 1795220041, appInBackground: false };
    expect(await app.report({ ...web, event: 'delivery', hasDisplayableContent: true })).toMatchObject({
      status: 200,
      text: '',
    });
    await app.report({ ...web, event: 'Delivery', instanceId: instance.id });
    await app.report({ ...web, event: 'Open' });
    await app.report({ ...web, event: 'Delivery', deviceId: other });
    expect(await counts(publishId)).toEqual({ delivered: 2, opened: 1 });
  });

  it('counts concurrent equal reports once', async () => {
    const { deviceId, publishId } = await publishToOne();
    const report = { publishId, deviceId, event: 'Open', timestampSecs: 1 };
    await Promise.all(Array.from({ length: 20 }, () => app.report(report)));
    expect(await counts(publishId)).toEqual({ delivered: 0, opened: 1 });
  });

  it.each([
    ['publish', { publishId: 'pubid-00000000-0000-4000-8000-000000000000' }],
    ['publish id that is none', { publishId: 'x\0' }],
    ['device', { deviceId: 'fcm-00000000-0000-4000-8000-000000000000' }],
    ['device id that is none', { deviceId: 'fcm-\0' }],
    ['device of another platform', { deviceId: 'safari-1' }],
  ])('answers 200 to a report of an unknown %s, and ignores it', async (_name, unknown) => {
    const { deviceId, publishId } = await publishToOne();
    const report = { publishId, deviceId, event: 'Open', timestampSecs: 1, ...unknown };
    expect(await app.report(report)).toMatchObject({ status: 200 });
    expect(await counts(publishId)).toEqual({ delivered: 0, opened: 0 });
  });

  const report = { publishId: 'pubid-1', deviceId: 'fcm-1', event: 'Open', timestampSecs: 1 };
  const { id } = instance;
  const missing = (field: string) => ({ error: 'Bad request', description: `\`${field}\` is missing or not valid.` });
  it.each([
    [
      'another content type',
      id,
      { 'content-type': 'text/plain' },
      'x',
      { error: 'Invalid content type', description: 'Only `application/json` is supported.' },
    ],
    [
      'an id that is no UUID',
      'x',
      {},
      report,
      {
        error: 'Bad Request',
        description:
          'The instance id given is invalid. It is expected to be in this format: xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx',
      },
    ],
    [
      'an id that is too long for a route',
      'x'.repeat(200),
      {},
      report,
      {
        error: 'Bad Request',
        description:
          'The instance id given is invalid. It is expected to be in this format: xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx',
      },
    ],
    [
      'an empty id',
      '',
      {},
      report,
      { error: 'Incomplete Request', description: '`instance-id` param is missing from path.' },
    ],
    [
      'an unknown instance, which is not 404 here',
      '99999999-2222-4333-8444-555555555555',
      {},
      report,
      { error: 'Bad Request', description: 'Could not find the instance' },
    ],
    [
      'malformed JSON',
      id,
      { 'content-type': 'application/json' },
      '{',
      { error: 'Bad request', description: 'Failed to read body as a JSON object.' },
    ],
    ['no event', id, {}, { ...report, event: undefined }, missing('event')],
    ['an unknown event', id, {}, { ...report, event: 'dismiss' }, missing('event')],
    ['no publishId', id, {}, { ...report, publishId: undefined }, missing('publishId')],
    ['deviceId null, as a cleared browser has it', id, {}, { ...report, deviceId: null }, missing('deviceId')],
    ['no timestampSecs', id, {}, { ...report, timestampSecs: undefined }, missing('timestampSecs')],
  ])('refuses %s with 400', async (_name, instanceId, headers, body, json) => {
    const answer = await app.call('POST', `/reporting_api/v2/instances/${instanceId}/events`, { headers, body });
    expect(answer).toMatchObject({ status: 400, json });
  });

  it('lets browsers of any origin report', async () => {
    const headers = { origin: 'https://page.example', 'access-control-request-method': 'POST' };
    const preflight = await app.call('OPTIONS', `/reporting_api/v2/instances/${id}/events`, { headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/content-type/i);
    expect((await app.report(report)).headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe("an instance's webhooks", () => {
  const bodies = (type: string) =>
    received.filter(({ headers }) => headers['webhook-event-type'] === type).map(({ body }) => JSON.parse(body));

  async function deviceOf(user: string): Promise<string> {
    const deviceId = await app.registered();
    await app.app.get(DeviceRepository).setUser(instance.id, 'fcm', deviceId, user);
    return deviceId;
  }

  it('get deliveries and opens by users, once each, signed', async () => {
    const { publishId } = await publishToOne();
    const deviceId = await deviceOf('carol');
    const report = { publishId, deviceId, userId: 'carol', timestampSecs: 1 };
    await app.report({ ...report, event: 'delivery' });
    await app.report({ ...report, event: 'Delivery' });
    await app.report({ ...report, event: 'open' });
    const of = (type: string) => bodies(type).filter(({ payload }) => payload.user_id === 'carol');
    await expect.poll(() => of('v1.UserNotificationOpen')).toHaveLength(1);
    await expect.poll(() => of('v1.UserNotificationAcknowledgement')).toHaveLength(1);
    const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(of('v1.UserNotificationOpen')).toEqual([
      {
        payload: { instance_id: id, publish_id: publishId, user_id: 'carol' },
        metadata: {
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/),
          event_type: 'v1.UserNotificationOpen',
          event_id: uuid,
          product: 'beams',
        },
        custom_data: { team: 7 },
      },
    ]);
    const webhook = received.find(({ body }) => body.includes('carol'));
    expect(webhook?.headers).toMatchObject({
      'user-agent': 'pusher-webhooks',
      'content-type': 'application/json',
      'webhook-event-type': expect.any(String),
      'webhook-id-uuid': uuid,
      'webhook-request-id-uuid': uuid,
      'webhook-signature': createHmac('sha1', 'webhook secret')
        .update(webhook?.body ?? '')
        .digest('hex'),
    });
  });

  it("ignore reports that name a user other than the device's", async () => {
    const { publishId } = await publishToOne();
    const deviceId = await deviceOf('dave');
    await app.report({ publishId, deviceId, userId: 'mallory', event: 'open', timestampSecs: 1 });
    await app.report({ publishId, deviceId: await deviceOf('erin'), userId: 'erin', event: 'open', timestampSecs: 1 });
    const users = () => bodies('v1.UserNotificationOpen').map(({ payload }) => payload.user_id);
    await expect.poll(() => users()).toContain('erin');
    expect(users()).not.toContain('mallory');
    expect(users()).not.toContain('dave');
  });

  it('report which users a publish has reached', async () => {
    const deviceId = await deviceOf('frank');
    app.gateways.fcm.answer = (device) =>
      device.id === deviceId ? { outcome: 'delivered' } : { outcome: 'rejected', reason: 'x' };
    await deviceOf('grace');
    const { json } = await app.publish({ users: ['frank', 'grace', 'heidi'], fcm: {} }, {}, '/users');
    await expect
      .poll(() => bodies('v1.PublishToUsersAttempt').map(({ payload }) => payload))
      .toContainEqual({
        instance_id: id,
        publish_id: json.publishId,
        users_delivered_to_gateway: ['frank'],
        users_no_devices: ['heidi'],
        users_gateway_failed: ['grace'],
      });
  });
});

const { id } = instance;
