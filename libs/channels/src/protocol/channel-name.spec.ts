import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChannelName } from './channel-name.js';

describe('a channel name', () => {
  it.each([
    ['news', 'public', false, false],
    ['cache-news', 'public', false, true],
    ['private-a', 'private', false, false],
    ['private-cache-a', 'private', false, true],
    ['private-encrypted-a', 'private', true, false],
    ['private-encrypted-cache-a', 'private', true, true],
    ['presence-room', 'presence', false, false],
    ['presence-cache-room', 'presence', false, true],
    ['my-cache-prices', 'public', false, false],
    ['notpresence-room', 'public', false, false],
    ['Private-a', 'public', false, false],
    ['presence-encrypted-room', 'presence', false, false],
    ['#server-to-user-7', 'user', false, false],
  ])('%s is %s (encrypted %s, cache %s)', (name, access, isEncrypted, isCache) => {
    expect(parseChannelName(name, 200)).toMatchObject({ name, access, isEncrypted, isCache });
  });

  it.each([
    '',
    'a b',
    'a/b',
    'ü',
    '#other',
    '#server-to-user-',
    '#server-to-user-a b',
    'a'.repeat(201),
    7,
    null,
    {},
    [],
  ])('refuses %j', (name) => {
    expect(parseChannelName(name, 200)).toBeUndefined();
  });

  it('never throws, whatever it is given', () => {
    fc.assert(fc.property(fc.anything(), (name) => void parseChannelName(name, 200)));
  });
});
