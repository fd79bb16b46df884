import { assert, constantFrom, nat, option, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProtocolError } from './protocol-error.js';
import { signinText, subscriptionText, tokenFor, verifyToken } from './subscription-token.js';

const app = { key: '278d425bdf160c739803', secret: '7ad3773142a6692b25b8' };

const isValid = (...given: Parameters<typeof verifyToken>): boolean => {
  try {
    verifyToken(...given);
    return true;
  } catch (error) {
    if (error instanceof ProtocolError) return false;
    throw error;
  }
};

describe('the token of a subscription', () => {
  // channels-wire §3.1
  it.each([
    [
      subscriptionText('1234.1234', 'private-foobar'),
      '58df8b0c36d6982b82c3ecf6b4662e34fe8c25bba48f5369f135bf843651c3a4',
    ],
    [
      subscriptionText('1234.1234', 'presence-foobar', '{"user_id":10,"user_info":{"name":"Mr. Channels"}}'),
      '31935e7d86dba64c2a90aed31fdc61869f9b22ba9d8863bba239c03ca481bc80',
    ],
    [signinText('1234.1234', '{"id":"12345"}'), '4708d583dada6a56435fb8bc611c77c359a31eebde13337c16ab43aa6de336ba'],
  ])('for %s is %s', (text, digest) => {
    expect(tokenFor(app, text)).toBe(`${app.key}:${digest}`);
    expect(() => verifyToken(app, text, `${app.key}:${digest}`)).not.toThrow();
  });

  const text = string({ unit: 'binary' });

  it('is valid only for its text and app', () => {
    assert(
      property(text, text, text, (given, other, secret) => {
        const token = tokenFor(app, given);
        expect(isValid(app, given, token)).toBe(true);
        expect(isValid(app, other, token)).toBe(Buffer.from(other).equals(Buffer.from(given)));
        expect(isValid({ ...app, secret }, given, token)).toBe(secret === app.secret);
        expect(isValid({ ...app, key: `${app.key}x` }, given, token)).toBe(false);
      }),
    );
  });

  it('is invalid if one character differs', () => {
    assert(
      property(text, nat(), constantFrom(...'0123456789abcdefABCDEF:x'), (given, at, character) => {
        const token = tokenFor(app, given);
        const index = at % token.length;
        const changed = token.slice(0, index) + character + token.slice(index + 1);
        expect(isValid(app, given, changed)).toBe(changed === token);
      }),
    );
  });

  it('is refused with a protocol error if it is malformed', () => {
    assert(
      property(text, text, (given, auth) => {
        expect(() => verifyToken(app, given, auth)).toThrow(ProtocolError);
      }),
    );
  });

  it('covers channel_data byte for byte', () => {
    const data = option(string({ unit: 'grapheme' }), { nil: undefined });
    assert(
      property(data, data, (signed, sent) => {
        const token = tokenFor(app, subscriptionText('1.2', 'presence-room', signed));
        expect(isValid(app, subscriptionText('1.2', 'presence-room', sent), token)).toBe(signed === sent);
      }),
    );
  });

  it('is signed without channel_data where none is sent', () => {
    expect(subscriptionText('1.2', 'private-a')).toBe('1.2:private-a');
  });

  it('is valid with any secret of its key', () => {
    const renewed = { ...app, keys: [{ key: app.key, secret: 'before' }] };
    for (const secret of [app.secret, 'before'])
      expect(() => verifyToken(renewed, 'a', tokenFor({ key: app.key, secret }, 'a'))).not.toThrow();
  });

  it.each([
    ['an unknown key', `${'k'.repeat(101)}:ff`, `Invalid key in subscription auth data: '${'k'.repeat(100)}'`],
    ['no key', 'ff', "Invalid key in subscription auth data: ''"],
    [
      'another signature',
      `${app.key}:${'f'.repeat(101)}`,
      `Invalid signature: Expected HMAC SHA256 hex digest of ${'t'.repeat(1000)}, but got ${'f'.repeat(100)}`,
    ],
  ])('is refused with %s, of which the start is shown', (_, auth, message) => {
    expect(() => verifyToken(app, 't'.repeat(1001), auth)).toThrow(expect.objectContaining({ message }));
  });
});
