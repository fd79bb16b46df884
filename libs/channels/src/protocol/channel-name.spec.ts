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

  it('never throws, whatever it is given, and is one only when all its characters may be in one', () => {
    const given = fc.oneof(fc.anything(), fc.string(), fc.string({ unit: fc.constantFrom(...'aZ0_-=@,.;# /é\n') }));
    fc.assert(
      fc.property(given, (name) => {
        const isName = typeof name === 'string' && /^(#server-to-user-)?[A-Za-z0-9_\-=@,.;]{1,200}$(?!\n)/.test(name);
        expect(parseChannelName(name, 200) !== undefined).toBe(isName && name.length <= 200);
      }),
    );
  });

  it('has its kind from its prefix alone, whatever follows', () => {
    const prefix = fc.constantFrom(
      ['private-', 'private'],
      ['presence-', 'presence'],
      ['#server-to-user-', 'user'],
      ['x-private-', 'public'],
      ['Presence-', 'public'],
    );
    const rest = fc.string({ unit: fc.constantFrom(...'abcehinprstvy-_=@,.;'), minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(prefix, rest, ([start, access], end) => {
        expect(parseChannelName(`${start}${end}`, 200)).toMatchObject({ name: `${start}${end}`, access });
      }),
    );
  });
});
