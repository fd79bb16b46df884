import { expect, it } from 'vitest';
import { isValid, secretOf, secretsOf, signingPair } from './credentials.js';

const credentials = {
  key: 'new',
  secret: 'n',
  keys: [
    { key: 'old', secret: 'o' },
    { key: 'timed', secret: 't', validUntil: '2999-01-01T00:00:00Z' },
    { key: 'expired', secret: 'e', validUntil: '2001-01-01T00:00:00+01:00' },
  ],
};

it.each([
  ['new', 'n'],
  ['old', 'o'],
  ['timed', 't'],
  ['expired', undefined],
  ['unknown', undefined],
])('the secret of the key %s is %s', (key, secret) => expect(secretOf(credentials, key)).toBe(secret));

it('ends at its time', () => {
  const pair = { key: 'k', secret: 's', validUntil: '2026-12-01T00:00:00Z' };
  const end = Date.parse(pair.validUntil);
  expect([isValid(pair, end - 1), isValid(pair, end)]).toEqual([true, false]);
});

it('has several secrets of a key, of which the oldest valid one signs webhooks', () => {
  const renewed = { ...credentials, keys: [{ key: 'new', secret: 'before' }, ...credentials.keys] };
  expect(secretsOf(renewed, 'new')).toEqual(['n', 'before']);
  expect(secretOf(renewed, 'new')).toBe('n');
  expect(secretsOf(renewed, 'unknown')).toEqual([]);
  const pairs = [
    { key: 'new', secret: 'before' },
    { key: 'new', secret: 'gone', validUntil: '2001-01-01T00:00:00Z' },
  ];
  expect(signingPair({ ...credentials, keys: pairs })).toBe(pairs[0]);
});
