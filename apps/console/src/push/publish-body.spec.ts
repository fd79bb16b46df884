import { describe, expect, it } from 'vitest';
import { seenOf } from '../api/seen-text.js';
import { bodyOf, writtenOf } from './publish-body.js';

describe('the body of a publish', () => {
  it("has each platform's format", () => {
    expect(bodyOf(writtenOf('Hi', 'there "you"'))).toEqual({
      apns: { aps: { alert: { title: 'Hi', body: 'there "you"' }, sound: 'default' } },
      fcm: { notification: { title: 'Hi', body: 'there "you"' } },
      web: { notification: { title: 'Hi', body: 'there "you"' } },
    });
  });

  it('omits empty platforms', () =>
    expect(bodyOf({ apns: '', fcm: '{"data":{}}', web: ' ' })).toEqual({ fcm: { data: {} } }));

  it('is undefined while a field is not valid JSON', () =>
    expect(bodyOf({ apns: '{', fcm: '', web: '' })).toBeUndefined());

  it.each([
    [{ aps: { alert: { title: 'a', body: 'b' } } }, 'a', 'b'],
    [{ aps: { alert: 'b' } }, '', 'b'],
    [{ headers: { 'apns-priority': '10' }, body: { aps: { alert: { title: 'a', body: 'b' } } } }, 'a', 'b'],
    [{ headers: { ttl: '60' }, body: { notification: { title: 'a', body: 'b' } } }, 'a', 'b'],
    [{ message: { notification: { title: 'a', body: 'b' } } }, 'a', 'b'],
    [{ notification: { title: 'a', body: 7 } }, 'a', ''],
    [{ aps: null }, '', ''],
    [null, '', ''],
    ['text', '', ''],
  ])('%j is seen as %j and %j', (payload, title, text) => expect(seenOf(payload)).toEqual({ title, text }));
});
