import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { bearerToken, verifyUserToken } from './user-token.js';

const instance = { id: '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', secretKey: 'ABCDEF0123456789' };
const iss = `https://${instance.id}.pushnotifications.pusher.com`;
const nowSeconds = 1_800_000_000;

const sign = (claims: object, secret = instance.secretKey) =>
  new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(new TextEncoder().encode(secret));

const verify = (token: string) =>
  verifyUserToken(token, instance, nowSeconds * 1000).catch((error: { error: string; message: string }) => error);

describe('a user token', () => {
  it.each([
    ['exp in a second', { exp: nowSeconds + 1 }],
    ['exp 60 seconds ago: clocks differ', { exp: nowSeconds - 60 }],
    ['a fraction for exp', { exp: nowSeconds + 0.5 }],
    ['iat in 60 seconds: clocks differ', { exp: nowSeconds + 90, iat: nowSeconds + 60 }],
    ['nbf now', { exp: nowSeconds + 90, nbf: nowSeconds }],
  ])('names the user with %s', async (_, claims) => {
    expect(await verify(await sign({ sub: 'alice', iss, ...claims }))).toBe('alice');
  });

  it.each([
    ['exp 61 seconds ago', { exp: nowSeconds - 61 }, 'Token is expired'],
    ['iat in 61 seconds', { exp: nowSeconds + 90, iat: nowSeconds + 61 }, 'Token used before issued'],
    ['nbf in 61 seconds', { exp: nowSeconds + 90, nbf: nowSeconds + 61 }, 'Token is not valid yet'],
  ])('is refused with %s', async (_, claims, reason) => {
    expect(await verify(await sign({ sub: 'alice', iss, ...claims }))).toMatchObject({
      status: 401,
      message: `Invalid JWT claims: ${reason}`,
    });
  });

  it('is checked for its signature before its claims', async () => {
    expect(await verify(await sign({}, 'another secret'))).toMatchObject({ message: 'Invalid JWT signature' });
  });

  it('is refused when its header requires an unknown extension', async () => {
    const [header, ...rest] = (await sign({ sub: 'alice', iss, exp: nowSeconds + 1 })).split('.');
    const asking = { ...JSON.parse(Buffer.from(header!, 'base64url').toString()), crit: ['x'], x: 1 };
    const token = [Buffer.from(JSON.stringify(asking)).toString('base64url'), ...rest].join('.');
    expect(await verify(token)).toMatchObject({ status: 401 });
  });

  it('avoids the words "device token" in its refusals, which iOS treats as another error', async () => {
    const tokens = ['x', await sign({}), await sign({ exp: 1 }), await sign({ exp: nowSeconds, sub: 'a', iss: 'b' })];
    for (const token of tokens)
      expect(await verify(token)).toMatchObject({ message: expect.not.stringMatching(/device token/i) });
  });
});

describe('the Authorization header', () => {
  it.each(['Bearer x', 'bearer x', 'BEARER  x', 'Bearer x '])('carries a token as %j', (header) => {
    expect(bearerToken(header)).toBe('x');
  });

  it.each([undefined, '', 'x', 'Bearer', 'Bearer ', 'Basic x', 'Bearer a b', 'Bearer\tx'])(
    'carries none as %j',
    (header) => {
      expect(() => bearerToken(header)).toThrow(expect.objectContaining({ error: 'Unauthorized' }));
    },
  );
});
