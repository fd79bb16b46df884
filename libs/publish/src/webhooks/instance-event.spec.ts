import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { type InstanceEvent, instanceEventRequests, timestamp } from './instance-event.js';
import { stableUuid } from './stable-uuid.js';

const webhook = { url: 'https://hooks.example/a', secret: 'shh', events: ['v1.UserNotificationOpen'] };
const instance = { id: '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', secretKey: 's', webhooks: [webhook] };
const opened: InstanceEvent = {
  type: 'v1.UserNotificationOpen',
  payload: { instance_id: instance.id, publish_id: 'pubid-1', user_id: 'alice' },
};
const at = Date.UTC(2019, 2, 11, 10, 42, 16, 789);

it('writes times as the documents do, without a colon in the offset', () => {
  expect(timestamp(at)).toBe('2019-03-11T10:42:16+0000');
});

it('signs the very bytes that are sent', () => {
  const [request] = instanceEventRequests(instance, opened, 'name', at);
  expect(request?.headers['Webhook-Signature']).toBe(
    createHmac('sha1', 'shh')
      .update(request?.body ?? '')
      .digest('hex'),
  );
  expect(JSON.parse(request?.body ?? '')).toEqual({
    payload: opened.payload,
    metadata: {
      created_at: '2019-03-11T10:42:16+0000',
      event_type: 'v1.UserNotificationOpen',
      event_id: stableUuid('name'),
      product: 'beams',
    },
    custom_data: {},
  });
});

it('asks only the webhooks that want the event, each with an id of its own', () => {
  const all = {
    ...instance,
    webhooks: [webhook, { ...webhook, url: 'https://hooks.example/b' }, { ...webhook, events: [] }],
  };
  const requests = instanceEventRequests(all, opened, 'name', at);
  expect(requests.map(({ url }) => url)).toEqual(['https://hooks.example/a', 'https://hooks.example/b']);
  expect(new Set(requests.map(({ id }) => id)).size).toBe(2);
  expect(new Set(requests.map(({ headers }) => headers['Webhook-ID-UUID'])).size).toBe(2);
});

it('gives the same event the same ids, so that it is sent once', () => {
  const [first, second] = [at, at + 5000].map((now) => instanceEventRequests(instance, opened, 'name', now)[0]);
  expect(first?.id).toBe(second?.id);
  expect(instanceEventRequests(instance, opened, 'other', at)[0]?.id).not.toBe(first?.id);
  expect(first?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
