import { expect, it } from 'vitest';
import { isFaulty } from './webhooks.js';

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
