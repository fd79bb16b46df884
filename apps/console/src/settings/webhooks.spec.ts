import { expect, it } from 'vitest';
import { headerLines, headersIn, isFaulty } from './webhooks.js';

it.each([
  ['apps', { url: 'https://example.com/hooks' }, false],
  ['apps', { url: 'http://10.0.0.7:8080', events: ['cache_miss'] }, false],
  ['apps', { url: '' }, true],
  ['apps', { url: 'example.com' }, true],
  ['apps', { url: 'ftp://example.com' }, true],
  ['apps', { url: 'https://' }, true],
  ['instances', { url: 'https://example.com', events: ['v1.PublishToUsersAttempt'], secret: '********' }, false],
  ['instances', { url: 'https://example.com', events: ['v1.PublishToUsersAttempt'] }, true],
  ['instances', { url: 'https://example.com', events: [], secret: 's' }, true],
] as const)('of %s: %j is invalid: %s', (kind, webhook, fault) => expect(isFaulty(webhook, kind)).toBe(fault));

it.each([
  ['', {}],
  ['X-One: 1\n\n X-Two:  a: b ', { 'X-One': '1', 'X-Two': 'a: b' }],
  ['no header', undefined],
])('headers in %j are %j', (text, headers) => expect(headersIn(text)).toEqual(headers));

it('writes headers as they are read', () =>
  expect(headersIn(headerLines({ Authorization: 'Bearer x', 'X-Two': '2' }))).toEqual({
    Authorization: 'Bearer x',
    'X-Two': '2',
  }));
