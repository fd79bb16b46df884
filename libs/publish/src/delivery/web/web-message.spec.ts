import { assert, jsonValue, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { webMessage, type WebMessage } from './web-message.js';

const instance = { id: '8f9a6e22-2483-49aa-8552-125f1a4c5781' };
const ids = { instanceId: instance.id, publishId: 'pubid-1' };
const message = (payload: Record<string, unknown>, passedSeconds = 0) =>
  webMessage({ payload, instance, publishId: 'pubid-1' }, passedSeconds) as WebMessage;
const pushed = (payload: Record<string, unknown>): unknown => JSON.parse(message(payload).plaintext.toString());

describe('the payload for the browser', () => {
  it.each([
    [
      'a notification',
      { notification: { title: 'hi', deep_link: 'https://example.com', hide_notification_if_site_has_focus: true } },
      {
        notification: { title: 'hi', deep_link: 'https://example.com', hide_notification_if_site_has_focus: true },
        data: { pusher: { ...ids, hasDisplayableContent: true, hasData: false } },
      },
    ],
    [
      'data',
      { data: { a: [1] } },
      { data: { a: [1], pusher: { ...ids, hasDisplayableContent: false, hasData: true } } },
    ],
    [
      'not the keys for this server',
      { notification: {}, time_to_live: 1, urgency: 'low', topic: 't', pusher: {}, other: 1 },
      { notification: {}, other: 1, data: { pusher: { ...ids, hasDisplayableContent: true, hasData: false } } },
    ],
  ])('%s', (_name, payload, expected) => expect(pushed(payload)).toEqual(expected));
});

describe('the request headers', () => {
  it.each([
    ['four weeks unless given', {}, { ttl: '2419200' }],
    ['as long as given', { time_to_live: 0 }, { ttl: '0' }],
    ['no longer than four weeks', { time_to_live: 1e9 }, { ttl: '2419200' }],
    [
      'urgency and topic',
      { urgency: 'high', topic: 'scores_-1', time_to_live: 5 },
      { ttl: '5', urgency: 'high', topic: 'scores_-1' },
    ],
  ])('%s', (_name, payload, headers) => {
    expect(message(payload).headers).toEqual(headers);
    expect(message(payload).ttlMs).toBe(Number(headers.ttl) * 1000);
  });
});

it.each([
  [60, '50'],
  [10, '1'],
  [0, '0'],
])('leaves, after 10 of %d seconds, %s to the push service', (time_to_live, ttl) => {
  expect(message({ time_to_live }, 10)).toMatchObject({ headers: { ttl }, ttlMs: time_to_live * 1000 });
});

describe('payloads that push services would refuse are not sent', () => {
  it.each([
    ['urgency', { urgency: 'extreme' }],
    ['urgency', { urgency: 'low\r\nx: y' }],
    ['topic', { topic: 'x'.repeat(33) }],
    ['topic', { topic: 'a b' }],
    ['topic', { topic: 1 }],
    ['data', { data: ['x'] }],
  ])('%s', (word, payload) => expect(message(payload)).toEqual({ rejected: expect.stringContaining(word) }));

  it('measures bytes after injection: 3993 fit in one record, 3994 do not', () => {
    const overhead = message({ notification: { body: '' } }).plaintext.length;
    expect(message({ notification: { body: 'x'.repeat(3993 - overhead) } }).plaintext.length).toBe(3993);
    expect(message({ notification: { body: 'x'.repeat(3994 - overhead) } })).toEqual({ rejected: 'PayloadTooLarge' });
  });
});

it('never throws, for any JSON from a customer', () => {
  const keys = ['notification', 'data', 'time_to_live', 'urgency', 'topic', 'other'] as const;
  assert(
    property(jsonValue(), (value) => {
      for (const key of keys) expect(message({ [key]: value })).toBeDefined();
    }),
  );
});

describe('the content for browsers that show notifications themselves', () => {
  const notification = { title: 'hi', deep_link: 'https://example.com/a' };
  const shown = (payload: Record<string, unknown>) => message(payload).declarative?.('web-1')?.toString();

  it('is what a service worker reads, with the form and the link', () => {
    const payload = { notification, data: { a: 1 } };
    expect(JSON.parse(shown(payload)!)).toEqual({
      ...(pushed(payload) as object),
      web_push: 8030,
      notification: { ...notification, navigate: 'https://example.com/a' },
    });
  });

  it("has the badge of the app's icon in both places where browsers look for it", () => {
    const badged = (app_badge: unknown) =>
      JSON.parse(shown({ notification: { ...notification, app_badge } })!) as object;
    for (const count of [3, '3'])
      expect(badged(count)).toMatchObject({ app_badge: 3, notification: { app_badge: '3' } });
    expect(badged(0)).toMatchObject({ app_badge: 0, notification: { app_badge: '0' } });
    for (const wrong of ['x', -1, null]) expect(badged(wrong)).not.toHaveProperty('app_badge');
  });

  it.each([
    ['no notification', { data: { a: 1 } }],
    ['no title', { notification: { deep_link: 'https://example.com' } }],
    ['an empty title', { notification: { title: '', deep_link: 'https://example.com' } }],
    ['no link', { notification: { title: 'hi' } }],
    ['a relative link', { notification: { title: 'hi', deep_link: '/orders' } }],
    ['a link that is a script', { notification: { title: 'hi', deep_link: 'javascript:alert(1)' } }],
  ])('is missing for %s', (_what, payload) => expect(shown(payload)).toBeUndefined());

  it('is missing where only the other form is small enough', () => {
    const fits = {
      notification,
      data: { text: 'x'.repeat(3993 - message({ notification, data: { text: '' } }).plaintext.length) },
    };
    expect(message(fits).plaintext).toHaveLength(3993);
    expect(shown(fits)).toBeUndefined();
  });
});
