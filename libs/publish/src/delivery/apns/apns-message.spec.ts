import { assert, jsonValue, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apnsMessage, type ApnsMessage } from './apns-message.js';

const instance = { id: '8f9a6e22-2483-49aa-8552-125f1a4c5781' };
const tracking = { instanceId: instance.id, publishId: 'pubid-1' };
const publishedAt = Date.UTC(2026, 0, 1);

const message = (payload: Record<string, unknown>) =>
  apnsMessage({ payload, instance, publishId: 'pubid-1', publishedAt }) as ApnsMessage;
const sent = (payload: Record<string, unknown>): unknown => JSON.parse(message(payload).body.toString());

describe('the payload for the device', () => {
  it.each([
    [
      'an alert is woken for tracking and told to ignore it',
      { aps: { alert: 'hi' } },
      { aps: { alert: 'hi', 'content-available': 1 }, data: { pusher: { ...tracking, userShouldIgnore: true } } },
    ],
    [
      'the customer’s data stay beside ours',
      { aps: { alert: 'hi' }, data: { some: { deep: ['value'] } } },
      {
        aps: { alert: 'hi', 'content-available': 1 },
        data: { some: { deep: ['value'] }, pusher: { ...tracking, userShouldIgnore: true } },
      },
    ],
    [
      'the customer’s own content-available is not to be ignored',
      { aps: { 'content-available': 1 } },
      { aps: { 'content-available': 1 }, data: { pusher: tracking } },
    ],
    [
      'tracking that is switched off wakes no app',
      { aps: { alert: 'hi' }, pusher: { disable_delivery_tracking: true } },
      { aps: { alert: 'hi' }, data: { pusher: tracking } },
    ],
    [
      'a payload without aps gets one',
      { alert: 'hi', data: { a: 1 } },
      {
        alert: 'hi',
        aps: { 'content-available': 1 },
        data: { a: 1, pusher: { ...tracking, userShouldIgnore: true } },
      },
    ],
    [
      'the keys for this server are not sent',
      { aps: { alert: 'hi' }, collapse_id: 'c', expiration: 1, priority: 5, pusher: {}, custom: true },
      {
        aps: { alert: 'hi', 'content-available': 1 },
        custom: true,
        data: { pusher: { ...tracking, userShouldIgnore: true } },
      },
    ],
    [
      'a customer cannot forge our metadata',
      { aps: {}, data: { pusher: { publishId: 'other' } } },
      { aps: { 'content-available': 1 }, data: { pusher: { ...tracking, userShouldIgnore: true } } },
    ],
    [
      'data that are no object go as they are, untracked',
      { aps: { alert: 'hi' }, data: 'text' },
      { aps: { alert: 'hi' }, data: 'text' },
    ],
    [
      'what is not for the SDK goes as the customer wrote it',
      { push_type: 'liveactivity', aps: { event: 'update', timestamp: 1, 'content-state': { score: 3 } }, priority: 5 },
      { aps: { event: 'update', timestamp: 1, 'content-state': { score: 3 } } },
    ],
    [
      'an alert that is said to be one is tracked',
      { push_type: 'alert', aps: { alert: 'hi' } },
      { aps: { alert: 'hi', 'content-available': 1 }, data: { pusher: { ...tracking, userShouldIgnore: true } } },
    ],
  ])('%s', (_name, payload, expected) => expect(sent(payload)).toEqual(expected));
});

const at = (seconds: number): string => String(publishedAt / 1000 + seconds);

describe('the request headers', () => {
  it.each([
    ['alert', { aps: { alert: 'hi' } }, { 'apns-push-type': 'alert', 'apns-priority': '10' }],
    ['badge', { aps: { badge: 0 } }, { 'apns-push-type': 'alert', 'apns-priority': '10' }],
    ['sound', { aps: { sound: 'x' } }, { 'apns-push-type': 'alert', 'apns-priority': '10' }],
    ['silent', { aps: { 'content-available': 1 } }, { 'apns-push-type': 'background', 'apns-priority': '5' }],
    ['silent, urgent', { aps: {}, priority: 10 }, { 'apns-push-type': 'background', 'apns-priority': '5' }],
    ['calm alert', { aps: { alert: 'hi' }, priority: 5 }, { 'apns-push-type': 'alert', 'apns-priority': '5' }],
    [
      'a live activity',
      { push_type: 'liveactivity', aps: { event: 'end' }, priority: 5 },
      { 'apns-push-type': 'liveactivity', 'apns-priority': '5', 'apns-expiration': at(8 * 3600) },
    ],
    [
      'a call, which rings while the caller waits',
      { push_type: 'voip', aps: {} },
      { 'apns-push-type': 'voip', 'apns-priority': '10', 'apns-expiration': at(30) },
    ],
    [
      'a call of an application that knows better',
      { push_type: 'voip', aps: {}, expiration: 0 },
      { 'apns-push-type': 'voip', 'apns-priority': '10', 'apns-expiration': '0' },
    ],
    [
      'a background push that looks like an alert',
      { push_type: 'background', aps: { alert: 'hi' }, priority: 10 },
      { 'apns-push-type': 'background', 'apns-priority': '5' },
    ],
    [
      'talk, which is tried once',
      { push_type: 'pushtotalk', aps: {} },
      { 'apns-push-type': 'pushtotalk', 'apns-priority': '10', 'apns-expiration': '0' },
    ],
    [
      'all',
      { aps: { alert: 'hi' }, collapse_id: 'news', expiration: 0, priority: 1 },
      {
        'apns-push-type': 'alert',
        'apns-priority': '1',
        'apns-expiration': '0',
        'apns-collapse-id': 'news',
      },
    ],
  ])('%s', (_name, payload, expected) => expect(message(payload).headers).toEqual(expected));
});

describe('the time to live', () => {
  it.each([
    ['absent: 30 days', {}, 30 * 24 * 3600 * 1000],
    ['0: once', { expiration: 0 }, 0],
    ['of talk: once', { push_type: 'pushtotalk' }, 0],
    ['of a call: 30 seconds', { push_type: 'voip' }, 30_000],
    ['from the publish', { expiration: publishedAt / 1000 + 60 }, 60_000],
  ])('%s', (_name, payload, ttlMs) => expect(message({ aps: {}, ...payload }).ttlMs).toBe(ttlMs));
});

describe('payloads that Apple would refuse are not sent', () => {
  it.each([
    ['InvalidPushType', { push_type: 'mdm' }],
    ['InvalidPushType', { push_type: ['alert'] }],
    ['InvalidPushType', { push_type: 'toString' }],
    ['BadPriority', { priority: 7 }],
    ['BadPriority', { priority: { toString: [] } }],
    ['BadPriority', { priority: '10\r\nx: y' }],
    ['BadExpirationDate', { expiration: 'tomorrow' }],
    ['BadExpirationDate', { expiration: -1 }],
    ['BadExpirationDate', { expiration: 1.5 }],
    ['BadCollapseId', { collapse_id: 'x'.repeat(65) }],
    ['BadCollapseId', { collapse_id: '' }],
    ['BadCollapseId', { collapse_id: 'a\r\nb' }],
    ['BadCollapseId', { collapse_id: 1 }],
  ])('%s', (rejected, payload) => expect(message({ aps: {}, ...payload })).toEqual({ rejected }));

  it('measures bytes after injection: 4096 fit, 4097 do not', () => {
    const overhead = message({ aps: { alert: '' } }).body.length;
    const fits = message({ aps: { alert: 'é'.repeat((4096 - overhead) / 2) + 'x'.repeat(overhead % 2) } });
    expect(fits.body.length).toBe(4096);
    const tooLarge = message({ aps: { alert: 'é'.repeat((4096 - overhead) / 2) + 'x'.repeat((overhead % 2) + 1) } });
    expect(tooLarge).toEqual({ rejected: 'PayloadTooLarge' });
  });
});

it('allows 5120 bytes for a VoIP push', () => {
  const call = (length: number) => message({ push_type: 'voip', aps: {}, text: 'x'.repeat(length) });
  const overhead = call(0).body.length;
  expect(call(5120 - overhead).body.length).toBe(5120);
  expect(call(5121 - overhead)).toEqual({ rejected: 'PayloadTooLarge' });
});

it('never throws, for any JSON from a customer', () => {
  const keys = ['aps', 'data', 'pusher', 'priority', 'expiration', 'collapse_id', 'push_type'] as const;
  assert(
    property(jsonValue(), (value) => {
      for (const key of keys) expect(message({ [key]: value })).toBeDefined();
    }),
  );
});
