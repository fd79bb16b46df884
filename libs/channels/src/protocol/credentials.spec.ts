import { expect, it } from 'vitest';
import { hasPairTwice, isValid, secretOf, secretsOf, signingPair } from './credentials.js';

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

it('signs webhooks with the current pair while no further one is valid', () => {
  const pair = { key: 'new', secret: 'n' };
  expect(signingPair(pair)).toEqual(pair);
  expect(signingPair({ ...pair, keys: credentials.keys.slice(2) })).toEqual(pair);
});

it.each([
  ['no further key', undefined, false],
  ['another secret of its key', [{ key: 'new', secret: 'before' }], false],
  ['the secret for another key', [{ key: 'old', secret: 'n' }], false],
  ['its own pair', [{ key: 'new', secret: 'n' }], true],
  ['the same pair', [credentials.keys[0]!, credentials.keys[0]!], true],
])('with %s has a pair twice', (_, keys, expected) => {
  expect(hasPairTwice({ key: 'new', secret: 'n', ...(keys && { keys }) })).toBe(expected);
});

it('without further keys has one secret', () => {
  const pair = { key: 'k', secret: 's' };
  expect([secretOf(pair, 'k'), secretOf(pair, 'other')]).toEqual(['s', undefined]);
  expect([secretsOf(pair, 'k'), secretsOf(pair, 'other')]).toEqual([['s'], []]);
});
