import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accessOf, isCacheChannel, isEncryptedChannel, isShown, parseChannelName } from './channel-name.js';

const limits = { channelNameLength: 200, userIdLength: 128 };

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
    ['#server-to-user-auth0|abc', 'user', false, false],
    ['#server-to-user-a b', 'user', false, false],
    ['#server-to-user-é', 'user', false, false],
    ['#server-to-user-"\n', 'user', false, false],
    [`#server-to-user-${'💬'.repeat(128)}`, 'user', false, false],
    ['a'.repeat(200), 'public', false, false],
  ])('%s is %s (encrypted %s, cache %s)', (name, access, isEncrypted, isCache) => {
    const channel = parseChannelName(name, limits)!;
    expect(channel).toMatchObject({ name, access, isEncrypted, isCache });
    expect(isShown(channel)).toBe(access !== 'user');
    const asSeenByClients = [accessOf(name), isEncryptedChannel(name), isCacheChannel(name)];
    expect(asSeenByClients).toEqual([access === 'user' ? 'public' : access, isEncrypted, isCache]);
  });

  it('of a user has the id of the user', () => {
    expect(parseChannelName('#server-to-user-7', limits)?.userId).toBe('7');
  });

  it.each([
    '',
    'a b',
    'a/b',
    'ü',
    '#other',
    '#server-to-user-',
    `#server-to-user-${'u'.repeat(129)}`,
    `#server-to-user-${'💬'.repeat(129)}`,
    '#server-to-user-a\0b',
    '#server-to-user-a\ud800b',
    'a'.repeat(201),
    7,
    null,
    {},
    [],
  ])('refuses %j', (name) => {
    expect(parseChannelName(name, limits)).toBeUndefined();
  });

  it('never throws, and accepts only names with allowed characters', () => {
    const nearly = fc.string({ unit: fc.constantFrom(...'aZ0_-=@,.;# /é\n') });
    const given = fc.oneof(
      fc.anything(),
      fc.string(),
      nearly,
      nearly.map((id) => `#server-to-user-${id}`),
    );
    fc.assert(
      fc.property(given, (name) => {
        const isName = typeof name === 'string' && /^[A-Za-z0-9_\-=@,.;]{1,200}$(?!\n)/.test(name);
        const isUser = typeof name === 'string' && /^#server-to-user-[^\0\p{Surrogate}]{1,128}$/u.test(name);
        expect(parseChannelName(name, limits) !== undefined).toBe(isName || isUser);
      }),
    );
  });

  it('takes its kind from its prefix alone', () => {
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
        expect(parseChannelName(`${start}${end}`, limits)).toMatchObject({ name: `${start}${end}`, access });
      }),
    );
  });
});
