import { expect, it } from 'vitest';
import { titleOf } from './title.js';

it.each([
  [{ apns: { aps: { alert: { title: 'Hi', body: 'there' } } } }, 'Hi'],
  [{ apns: { aps: { alert: 'there' } } }, 'there'],
  [{ apns: { aps: {} }, fcm: { notification: { title: 'Hi' } } }, 'Hi'],
  [{ web: { notification: { body: 'there' } } }, 'there'],
  [{ fcm: { data: { notification: { title: 'Hi' } } } }, 'Hi'],
  [{ apns: { aps: { alert: 'there' } }, web: { notification: { title: 'Hi' } } }, 'Hi'],
  [{ fcm: { data: { a: 'b' } } }, null],
])('of %j is %s', (payloads, title) => expect(titleOf(payloads as Parameters<typeof titleOf>[0])).toBe(title));
