import Pusher from 'pusher';
import { expect, it, vi } from 'vitest';
import { signedQuery, type UnsignedRequest } from './signed-query.js';

const app = { key: 'k', secret: 's' };
const official = new Pusher({ appId: '3', ...app, host: 'localhost' });

it.each<UnsignedRequest>([
  { method: 'GET', path: '/stats/3' },
  { method: 'GET', path: '/stats/3', query: { z: 1, a: 'b' } },
  { method: 'POST', path: '/stats/3', query: { a: 'b' }, body: '{"some":"data"}' },
])("equals the official library's: %o", (request) => {
  vi.useFakeTimers({ now: 1_700_000_000_900, toFake: ['Date'] });
  const { query, ...rest } = request;
  const expected = official.createSignedQueryString({ ...rest, params: query, body: request.body ?? '' });
  const sorted = (text: string) => text.split('&').toSorted();
  expect(sorted(signedQuery(app, request))).toEqual(sorted(expected));
});

it('escapes what it signs unescaped', () => {
  const query = new URLSearchParams(signedQuery(app, { method: 'GET', path: '/', query: { a: 'b c&=ü' } }));
  expect(query.get('a')).toBe('b c&=ü');
  expect(query.has('body_md5')).toBe(false);
});
