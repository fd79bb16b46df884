import { SignJWT, generateKeyPair, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instance, otherInstance, startDeviceApi } from '../support/push-app.js';

let api: Awaited<ReturnType<typeof startDeviceApi>>;
beforeAll(async () => {
  api = await startDeviceApi();
});
afterAll(() => api.close());

const seconds = () => Math.floor(Date.now() / 1000);
const issuer = `https://${instance.id}.pushnotifications.pusher.com`;
const secret = (text: string) => new TextEncoder().encode(text);

/** A token as the server SDKs make it, with changes. A claim that is undefined is left out. */
function token(changes: Record<string, unknown> = {}, key = secret(instance.secretKey), alg = 'HS256') {
  const claims = { sub: 'alice', iss: issuer, exp: seconds() + 86_400, ...changes };
  return new SignJWT(JSON.parse(JSON.stringify(claims))).setProtectedHeader({ alg, typ: 'JWT' }).sign(key);
}

const setUser = async (path: string, jwt: string) =>
  api.call('PUT', `${path}/user`, { headers: { authorization: `Bearer ${jwt}` } });

describe('PUT devices/<platform>/<id>/user', () => {
  it('accepts a JSON content type without a body, as the iOS SDK sends it', async () => {
    const headers = { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' };
    expect((await api.call('PUT', `${await api.registered()}/user`, { headers })).status).toBe(200);
  });

  it('keeps the user when the device registers again', async () => {
    const path = await api.registered('of alice');
    await setUser(path, await token());
    await api.registered('of alice');
    expect((await api.call('GET', path)).json.userId).toBe('alice');
  });

  it.each([
    ['the issuer without a scheme', () => ({ iss: issuer.slice('https://'.length) })],
    ['the issuer in capitals', () => ({ iss: issuer.replace(instance.id, instance.id.toUpperCase()) })],
    ['an exp just over', () => ({ exp: seconds() - 50 })],
    ['an iat a little ahead', () => ({ iat: seconds() + 50 })],
  ])('accepts a token with %s', async (_, changes) => {
    expect((await setUser(await api.registered(), await token(changes()))).status).toBe(200);
  });

  it.each([
    ['no exp', { exp: undefined }, 400, 'Bad Request', 'Missing expiration (exp) field in JWT'],
    ['no sub', { sub: undefined }, 400, 'Bad Request', 'Missing subject (sub) field in JWT'],
    ['no iss', { iss: undefined }, 400, 'Bad Request', 'Missing issuer (iss) field in JWT'],
    ['an empty sub', { sub: '' }, 400, 'Bad Request', 'JWT subject (sub) must be between 1-164 characters long'],
    [
      'a sub of 165 characters',
      { sub: 'x'.repeat(165) },
      400,
      'Bad Request',
      'JWT subject (sub) must be between 1-164 characters long',
    ],
    [
      'a sub that is a number',
      { sub: 7 },
      400,
      'Bad Request',
      'JWT subject (sub) must be between 1-164 characters long',
    ],
    ['a sub with NUL', { sub: 'a\0' }, 400, 'Bad Request', 'JWT subject (sub) must be between 1-164 characters long'],
    ['an exp long over', { exp: seconds() - 70 }, 401, 'Unauthorized', 'Invalid JWT claims: Token is expired'],
    ['an iat far ahead', { iat: seconds() + 70 }, 401, 'Unauthorized', 'Invalid JWT claims: Token used before issued'],
    ['an nbf far ahead', { nbf: seconds() + 70 }, 401, 'Unauthorized', 'Invalid JWT claims: Token is not valid yet'],
    ['an exp that is a text', { exp: '4700000000' }, 401, 'Unauthorized', 'Authorization header is malformed.'],
    ['another issuer', { iss: 'https://example.com' }, 403, 'Forbidden', 'Invalid JWT issuer.'],
    [
      'the issuer of another instance',
      { iss: `https://${otherInstance.id}.pushnotifications.pusher.com` },
      403,
      'Forbidden',
      'Invalid JWT issuer.',
    ],
    ['an issuer that is a number', { iss: 7 }, 403, 'Forbidden', 'Invalid JWT issuer.'],
  ])('refuses a token with %s', async (_, changes, status, error, description) => {
    const path = await api.registered();
    const answer = await setUser(path, await token(changes));
    expect([answer.status, answer.json]).toEqual([status, { error, description }]);
    expect((await api.call('GET', path)).json.userId).toBe('');
  });

  it('refuses a token of another secret', async () => {
    const { status, json } = await setUser(await api.registered(), await token({}, secret('other')));
    expect([status, json]).toEqual([401, { error: 'Unauthorized', description: 'Invalid JWT signature' }]);
  });

  it('accepts no algorithm except HS256', async () => {
    const path = await api.registered();
    const { privateKey } = await generateKeyPair('RS256');
    const claims = { sub: 'alice', iss: issuer, exp: seconds() + 60 };
    const others = [
      await token({}, secret(instance.secretKey), 'HS384'),
      await token({}, secret(instance.secretKey), 'HS512'),
      await token({}, privateKey as never, 'RS256'),
      new UnsecuredJWT(claims).encode(),
    ];
    for (const jwt of others) expect((await setUser(path, jwt)).status).toBe(401);
  });

  it.each([
    ['no header', undefined, 'Authorization header is missing.'],
    ['another scheme', 'Basic YTpi', 'Authorization header is malformed.'],
    ['no token', 'Bearer', 'Authorization header is malformed.'],
    ['two tokens', 'Bearer a b', 'Authorization header is malformed.'],
    ['what is no token', 'Bearer x', 'Authorization header is malformed.'],
    ['three parts of nothing', 'Bearer a.b.c', 'Authorization header is malformed.'],
    ['the secret itself', `Bearer ${instance.secretKey}`, 'Authorization header is malformed.'],
  ])('refuses %s', async (_, authorization, description) => {
    const { status, json } = await api.call('PUT', `${await api.registered()}/user`, {
      headers: authorization === undefined ? {} : { authorization },
    });
    expect([status, json]).toEqual([401, { error: 'Unauthorized', description }]);
  });

  it('refuses another user than the one the device has', async () => {
    const path = await api.registered();
    await setUser(path, await token());
    const { status, json } = await setUser(path, await token({ sub: 'bob' }));
    expect([status, json]).toEqual([
      400,
      { error: 'Bad Request', description: 'A User Id is already associated with this device.' },
    ]);
  });

  it('distinguishes unknown devices from malformed ids', async () => {
    const unknown = await setUser('devices/fcm/fcm-unknown', await token());
    expect([unknown.status, unknown.json]).toEqual([404, { error: 'Not found', description: 'Device not found' }]);
    const invalid = await setUser('devices/fcm/not!an!id', await token());
    expect([invalid.status, invalid.json]).toEqual([
      400,
      { error: 'Bad Request', description: '`device-id` given is not valid.' },
    ]);
  });

  it('gives a user at most 100 devices, also for concurrent requests', async () => {
    const jwt = await token({ sub: 'collector' });
    const paths = await Promise.all(Array.from({ length: 105 }, () => api.registered()));
    const answers = await Promise.all(paths.map((path) => setUser(path, jwt)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(5);
    for (const { status, json } of refused)
      expect([status, json]).toEqual([
        422,
        { error: 'Unprocessable Entity', description: 'User has reached the maximum of 100 devices' },
      ]);
  });
});
