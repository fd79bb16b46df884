import { expect, it } from 'vitest';
import { isValid, secretOf } from './credentials.js';

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
