import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Instance, InstanceWebhook } from 'rookery/push-device';
import { type InstanceEvent, instanceEventRequests } from './instance-event.js';

const id = '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60';
const type = 'v1.UserNotificationOpen';
const event: InstanceEvent = { type, payload: { instance_id: id, publish_id: 'pubid-1', user_id: 'alice' } };
const now = Date.parse('2019-03-11T10:42:16.789Z');
const url = 'https://hooks.example/';

const requestsOf = (webhooks: readonly InstanceWebhook[], name = 'pubid-1 web-1') =>
  instanceEventRequests({ id, secretKey: 's', webhooks } satisfies Instance, event, name, now);

it('asks for five timed tries, and may reach private addresses', () => {
  expect(requestsOf([{ url, secret: 'shh', events: [type] }])).toMatchObject([
    { owner: id, url, timeoutMs: 3000, retryDelaysMs: [10_000, 30_000, 120_000, 300_000] },
  ]);
  expect(requestsOf([{ url, secret: 'shh', events: [type] }])[0]?.untrusted).toBeUndefined();
});

it('is signed with the secret of the webhook, over the exact body', () => {
  const [request] = requestsOf([{ url, secret: 'shh', events: [type], customData: { team: 'ü' } }]);
  const { metadata, ...body } = JSON.parse(request?.body ?? '');
  expect(body).toEqual({ payload: event.payload, custom_data: { team: 'ü' } });
  expect(metadata).toMatchObject({ created_at: '2019-03-11T10:42:16+0000', event_type: type, product: 'beams' });
  const signature = createHmac('sha1', 'shh')
    .update(request?.body ?? '')
    .digest('hex');
  expect(request?.headers).toMatchObject({ 'Webhook-Event-Type': type, 'Webhook-Signature': signature });
});

it('goes to the webhooks that select it', () => {
  const others = ['v1.PublishToUsersAttempt', 'v1.UserNotificationAcknowledgement'];
  expect(requestsOf([{ url, secret: 'shh', events: others }])).toEqual([]);
});

it.each([undefined, []])('goes to a webhook that selects none: %j', (events) => {
  expect(requestsOf([{ url, secret: 'shh', ...(events && { events }) }])).toHaveLength(1);
});

it('is the same request if it is made again, and a different one for another event', () => {
  const webhooks = [{ url, secret: 'shh', events: [type] }];
  expect(requestsOf(webhooks)[0]?.id).toBe(requestsOf(webhooks)[0]?.id);
  expect(requestsOf(webhooks, 'pubid-1 web-2')[0]?.id).not.toBe(requestsOf(webhooks)[0]?.id);
});

it('goes to each of two webhooks with one URL', () => {
  const requests = requestsOf([
    { url, secret: 'one', events: [type] },
    { url, secret: 'other', events: [type] },
  ]);
  expect(new Set(requests.map(({ id: requestId }) => requestId)).size).toBe(2);
  expect(new Set(requests.map(({ headers }) => headers['Webhook-ID-UUID'])).size).toBe(2);
});
