import { createServer } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MemoryRequestRates } from '#common';
import type { DeviceAddress, Instance } from 'rookery/push-device';
import {
  fcmError,
  standInFcm,
  type FcmAnswer,
  type StandInFcm,
  type StandInFcmOptions,
} from '../support/stand-ins/index.js';
import { listen } from '../support/stand-ins/listen.js';
import { authority } from '../support/tls/index.js';
import { setClockBack } from '../support/set-back.js';
import { PlatformFault, SendLater, type PreparedNotification } from '../../libs/publish/src/delivery/push.gateway.js';
import { FcmGateway, type FcmGatewayOptions } from '../../libs/publish/src/delivery/fcm/fcm.gateway.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const each of open.splice(0)) await each.close();
});

async function google(options?: StandInFcmOptions): Promise<StandInFcm> {
  const standIn = await standInFcm(options);
  open.push(standIn);
  return standIn;
}

function gatewayWith(options: FcmGatewayOptions = {}): FcmGateway {
  const gateway = new FcmGateway({ ca: authority, ...options });
  open.push(gateway);
  return gateway;
}

const instanceOf = (standIn: StandInFcm, changes: object = {}): Instance => ({
  id: '8f9a6e22-2483-49aa-8552-125f1a4c5781',
  secretKey: 's',
  fcm: { ...standIn.credentials, serviceAccount: { ...standIn.credentials.serviceAccount, ...changes } },
});

const prepare = (
  standIn: StandInFcm,
  gateway = gatewayWith(),
  instance = instanceOf(standIn),
  publishedAt = Date.now(),
) =>
  gateway.prepare({
    instance,
    publishId: 'pubid-1',
    publishedAt,
    payload: { notification: { title: 'hi' }, data: { a: 1 }, time_to_live: 60 },
  }) as Promise<PreparedNotification>;

const device = (token: string): DeviceAddress => ({ id: `fcm-${token}`, platform: 'fcm', token, registeredAt: 0 });

const failureOf = (sending: Promise<unknown>): Promise<Error> =>
  sending.then(
    () => expect.unreachable('it should have failed'),
    (error: Error) => error,
  );

it('sends the remaining time to live to Google', async () => {
  const standIn = await google();
  const twentySecondsAgo = Date.now() - 20_000;
  await (await prepare(standIn, gatewayWith(), instanceOf(standIn), twentySecondsAgo)).send(device('a'));
  const seconds = Number.parseInt(standIn.received[0]?.message.android.ttl, 10);
  expect(seconds).toBeGreaterThan(30);
  expect(seconds).toBeLessThanOrEqual(40);
});

it('sends no more than the quota of the project, whatever instance sends', async () => {
  const standIn = await google();
  const rates = new MemoryRequestRates();
  const take = vi.spyOn(rates, 'take');
  const gateway = gatewayWith({ quota: { perMinute: 240, rates } });
  const [one, other] = [await prepare(standIn, gateway), await prepare(standIn, gateway)];
  const from = performance.now();
  await Promise.all(Array.from({ length: 4 }, (_, n) => (n % 2 ? one : other).send(device(`at once ${n}`))));
  await one.send(device('later'));
  // The fifth is earned in a quarter of a second; timers may be a little early.
  expect(performance.now() - from).toBeGreaterThan(200);
  expect(standIn.received).toHaveLength(5);
  expect(take.mock.calls.at(-1)![0]).toMatchObject([{ perSecond: 4, atOnce: 4 }]);
});

it('reads a private key whose line breaks are written as \\n', async () => {
  const standIn = await google();
  const { private_key: key } = standIn.credentials.serviceAccount;
  const instance = instanceOf(standIn, { private_key: key.replaceAll('\n', String.raw`\n`) });
  expect(await (await prepare(standIn, gatewayWith(), instance)).send(device('a'))).toEqual({ outcome: 'delivered' });
});

it('sends the message with an access token of the service account', async () => {
  const standIn = await google();
  const prepared = await prepare(standIn);
  expect(await prepared.send(device('a:b"c'))).toEqual({ outcome: 'delivered' });
  expect(standIn.received).toMatchObject([
    {
      token: 'a:b"c',
      message: { notification: { title: 'hi' }, data: { a: '1' }, android: { ttl: '60s', priority: 'HIGH' } },
      headers: { authorization: 'Bearer ya29.1', 'content-type': 'application/json' },
    },
  ]);
  expect(standIn.assertions).toMatchObject([
    {
      header: { alg: 'RS256', kid: 'key-1' },
      claims: {
        iss: 'sender@rookery-tests.iam.gserviceaccount.com',
        scope: 'https://www.googleapis.com/auth/firebase.messaging',
        aud: `${standIn.url}/token`,
      },
    },
  ]);
  const { iat, exp } = standIn.assertions[0]!.claims;
  expect(Number(exp) - Number(iat)).toBe(3600);
});

describe.each([
  ['HTTP/2', { http2: true }, 'ConnectionLost'],
  ['HTTP/1.1', { http2: false }, 'Unreachable (UND_ERR_SOCKET)'],
])('the meaning of an answer in %s', (_protocol, options, lost) => {
  const gone = { outcome: 'unregistered' };
  const rejected = (reason: string) => ({ outcome: 'rejected', reason });
  const invalidToken = 'The registration token is not a valid FCM registration token';

  it.each<[string, FcmAnswer, object]>([
    ['404 UNREGISTERED', fcmError(404, 'NOT_FOUND', { errorCode: 'UNREGISTERED' }), gone],
    ['404 NOT_FOUND', fcmError(404, 'NOT_FOUND'), gone],
    ['400 that names the token', fcmError(400, 'INVALID_ARGUMENT', { violates: 'message.token' }), gone],
    [
      '400 of FcmError about the token',
      fcmError(400, 'INVALID_ARGUMENT', { errorCode: 'INVALID_ARGUMENT', message: invalidToken }),
      gone,
    ],
    [
      '400 that names data',
      fcmError(400, 'INVALID_ARGUMENT', { violates: 'message.data[0].value' }),
      rejected('INVALID_ARGUMENT'),
    ],
    [
      '400 about the size',
      fcmError(400, 'INVALID_ARGUMENT', { errorCode: 'INVALID_ARGUMENT', message: 'Message is too big' }),
      rejected('INVALID_ARGUMENT'),
    ],
    ['400 without a word', { status: 400, body: 'no JSON' }, rejected('HTTP 400')],
    [
      '403 of another project’s token',
      fcmError(403, 'PERMISSION_DENIED', { errorCode: 'SENDER_ID_MISMATCH' }),
      rejected('SENDER_ID_MISMATCH'),
    ],
    [
      '401 of an iOS or web token, in a project without credentials for those',
      fcmError(401, 'UNAUTHENTICATED', { errorCode: 'THIRD_PARTY_AUTH_ERROR' }),
      rejected('THIRD_PARTY_AUTH_ERROR'),
    ],
  ])('%s', async (_name, answer, outcome) => {
    const standIn = await google(options);
    standIn.answer('t', answer);
    expect(await (await prepare(standIn)).send(device('t'))).toEqual(outcome);
  });

  it.each<[string, FcmAnswer, string]>([
    ['401 that stays', fcmError(401, 'UNAUTHENTICATED'), 'UNAUTHENTICATED'],
    ['403', fcmError(403, 'PERMISSION_DENIED'), 'PERMISSION_DENIED'],
    ['404 of something that is not FCM', { status: 404, body: '<html>' }, 'HTTP 404'],
  ])('%s: the platform’s fault', async (_name, answer, reason) => {
    const standIn = await google(options);
    standIn.answer('t', answer);
    const fault = await failureOf((await prepare(standIn)).send(device('t')));
    expect(fault).toBeInstanceOf(PlatformFault);
    expect(fault.message).toBe(`FCM refuses the service account: ${reason}`);
  });

  it('a project that is not the service account’s: the platform’s fault', async () => {
    const standIn = await google(options);
    const prepared = await prepare(standIn, gatewayWith(), instanceOf(standIn, { project_id: 'other' }));
    expect(await failureOf(prepared.send(device('t')))).toBeInstanceOf(PlatformFault);
  });

  const busy = (headers?: Record<string, string>) => ({
    ...(fcmError(429, 'RESOURCE_EXHAUSTED', { errorCode: 'QUOTA_EXCEEDED' }) as { status: number }),
    headers,
  });
  it.each<[string, FcmAnswer, object]>([
    ['429', busy(), { reason: 'QUOTA_EXCEEDED', retryAfterMs: 60_000 }],
    ['429 with seconds', busy({ 'retry-after': '3' }), { retryAfterMs: 3000 }],
    ['408 of a proxy', { status: 408, body: '' }, { reason: 'HTTP 408' }],
    ['409', fcmError(409, 'ABORTED'), { reason: 'ABORTED' }],
    ['499', fcmError(499, 'CANCELLED'), { reason: 'CANCELLED' }],
    ['403 with seconds', { status: 403, headers: { 'retry-after': '3' } }, { retryAfterMs: 3000 }],
    ['500', fcmError(500, 'INTERNAL'), { reason: 'INTERNAL', retryAfterMs: undefined }],
    ['503', fcmError(503, 'UNAVAILABLE', { errorCode: 'UNAVAILABLE' }), { reason: 'UNAVAILABLE' }],
    ['502 of a proxy', { status: 502, body: '<html>' }, { reason: 'HTTP 502' }],
    ['a cut connection', { hangUp: true }, { reason: lost }],
  ])('%s: later', async (_name, answer, expected) => {
    const standIn = await google(options);
    standIn.answer('t', answer);
    const later = await failureOf((await prepare(standIn)).send(device('t')));
    expect(later).toBeInstanceOf(SendLater);
    expect(later).toMatchObject(expected);
  });

  it('503 with a date: later, then', async () => {
    const standIn = await google(options);
    const now = Date.UTC(2026, 0, 1);
    const retryAfter = new Date(now + 90_000).toUTCString();
    standIn.answer('t', { status: 503, headers: { 'retry-after': retryAfter } });
    const prepared = await prepare(standIn, gatewayWith({ now: () => now }));
    expect(await failureOf(prepared.send(device('t')))).toMatchObject({ retryAfterMs: 90_000 });
  });

  it('no answer in time: later', async () => {
    const standIn = await google(options);
    standIn.answer('t', { silence: true });
    const prepared = await prepare(standIn, gatewayWith({ timeoutMs: 200 }));
    expect(await failureOf(prepared.send(device('t')))).toMatchObject({ reason: 'Timeout' });
  });
});

it.each<[string, FcmAnswer, object]>([
  ['408', { status: 408 }, { reason: 'NoAccessToken (HTTP 408)' }],
  ['403 with seconds', { status: 403, headers: { 'retry-after': '3' } }, { retryAfterMs: 3000 }],
])('an access token that is refused with %s comes later', async (_, answer, expected) => {
  const standIn = await google();
  standIn.answerTokenRequests(answer);
  const later = await failureOf((await prepare(standIn)).send(device('a')));
  expect(later).toBeInstanceOf(SendLater);
  expect(later).toMatchObject(expected);
});

it('sends to its devices while others have tokens that Google cannot have issued', async () => {
  const standIn = await google();
  const prepared = await prepare(standIn);
  const long = ['a', '漢', '\u0001'].map((character) => character.repeat(8192));
  for (const token of long) standIn.answer(token, fcmError(400, 'INVALID_ARGUMENT', { violates: 'message.token' }));
  const all = Array.from({ length: 100 }, (_, i) => [`${i}`, ...long]).flat();
  const outcomes = await Promise.all(all.map((token) => prepared.send(device(token))));
  expect(outcomes.filter(({ outcome }) => outcome === 'delivered')).toHaveLength(100);
  expect(outcomes.filter(({ outcome }) => outcome === 'unregistered')).toHaveLength(300);
});

describe('the access token', () => {
  it('stays, and no message is sent again, when Google lacks the credentials of Apple for one device', async () => {
    const standIn = await google();
    standIn.answer('ios', fcmError(401, 'UNAUTHENTICATED', { errorCode: 'THIRD_PARTY_AUTH_ERROR' }));
    const prepared = await prepare(standIn);
    for (const token of ['ios', 'android', 'ios']) await prepared.send(device(token));
    expect(standIn.received.map(({ token }) => token)).toEqual(['ios', 'android', 'ios']);
    expect(standIn.tokenRequests).toBe(1);
  });

  it('is requested once for concurrent sends', async () => {
    const standIn = await google();
    const prepared = await prepare(standIn);
    await Promise.all(Array.from({ length: 50 }, (_, i) => prepared.send(device(`t${i}`))));
    expect(standIn.received).toHaveLength(50);
    expect(standIn.tokenRequests).toBe(1);
  });

  it('is used until five minutes before it expires, and renewed in the background', async () => {
    const standIn = await google();
    let now = Date.now();
    const prepared = await prepare(standIn, gatewayWith({ now: () => now }));
    await prepared.send(device('a'));
    now += 54 * 60_000;
    await prepared.send(device('b'));
    expect(standIn.tokenRequests).toBe(1);
    now += 2 * 60_000;
    await prepared.send(device('c'));
    await expect.poll(() => standIn.tokenRequests).toBe(2);
    const used = async () => {
      await prepared.send(device('d'));
      return standIn.received.at(-1)?.headers.authorization;
    };
    await expect.poll(used).toBe('Bearer ya29.2');
  });

  it('is requested again after a failure even if the clock was set back', async () => {
    const standIn = await google();
    standIn.answerTokenRequests({ status: 503 });
    const prepared = await prepare(standIn);
    await expect(prepared.send(device('a'))).rejects.toThrow(SendLater);
    setClockBack();
    standIn.answerTokenRequests();
    const isSent = () =>
      prepared.send(device('a')).then(
        () => true,
        () => false,
      );
    await expect.poll(isSent).toBe(true);
  });

  it('is used until it expires if the token endpoint is unreachable', async () => {
    const standIn = await google();
    let now = Date.now();
    const prepared = await prepare(standIn, gatewayWith({ now: () => now }));
    await prepared.send(device('a'));
    standIn.answerTokenRequests({ status: 503 });
    now += 57 * 60_000;
    expect(await prepared.send(device('b'))).toEqual({ outcome: 'delivered' });
    now += 60 * 60_000;
    expect(await failureOf(prepared.send(device('c')))).toMatchObject({ reason: 'NoAccessToken (HTTP 503)' });
  });

  it('is renewed once if Google refuses it, and the message is resent', async () => {
    const standIn = await google();
    const prepared = await prepare(standIn);
    await prepared.send(device('a'));
    standIn.expireTokens();
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => prepared.send(device(`t${i}`))));
    expect(outcomes).toEqual(outcomes.map(() => ({ outcome: 'delivered' })));
    expect(standIn.tokenRequests).toBe(2);
  });

  it.each<[string, FcmAnswer, object]>([
    ['400 invalid_grant', { status: 400, body: { error: 'invalid_grant' } }, { name: 'invalid_grant' }],
    [
      'the description of a clock that is wrong',
      {
        status: 400,
        body: { error: 'invalid_grant', error_description: 'Invalid JWT: Token must be a short-lived token' },
      },
      { name: 'invalid_grant: Invalid JWT: Token must be a short-lived token' },
    ],
    ['401', { status: 401 }, { name: 'HTTP 401' }],
    ['200 without a token', { status: 200 }, { name: 'HTTP 200' }],
  ])('refused with %s is the platform’s fault', async (_name, answer, { name }: { name?: string }) => {
    const standIn = await google();
    standIn.answerTokenRequests(answer);
    const fault = await failureOf((await prepare(standIn)).send(device('t')));
    expect(fault).toBeInstanceOf(PlatformFault);
    expect(fault.message).toBe(`Google gives sender@rookery-tests.iam.gserviceaccount.com no access token: ${name}`);
  });

  it('that cannot be issued now is requested again later, and not before', async () => {
    const standIn = await google();
    standIn.answerTokenRequests({ status: 503, headers: { 'retry-after': '4' } }, undefined);
    const clock = { now: Date.now() };
    const prepared = await prepare(standIn, gatewayWith({ now: () => clock.now }));
    expect(await failureOf(prepared.send(device('t')))).toMatchObject({ retryAfterMs: 4000 });
    clock.now += 3000;
    expect(await failureOf(prepared.send(device('t')))).toMatchObject({ retryAfterMs: 1000 });
    expect(standIn.tokenRequests).toBe(1);
    clock.now += 1000;
    expect(await prepared.send(device('t'))).toEqual({ outcome: 'delivered' });
  });

  it('that gets no answer delays only the first callers', async () => {
    const standIn = await google();
    standIn.answerTokenRequests({ silence: true });
    const prepared = await prepare(standIn, gatewayWith({ timeoutMs: 5000 }));
    const first = failureOf(prepared.send(device('t')));
    const later = () =>
      Promise.race([failureOf(prepared.send(device('t'))), new Promise<void>((go) => setImmediate(go))]);
    await expect.poll(later).toMatchObject({ reason: 'NoAccessToken', retryAfterMs: 3000 });
    expect(await first).toMatchObject({ reason: 'NoAccessToken (Timeout)' });
    expect(standIn.tokenRequests).toBe(1);
  }, 10_000);

  it('that is refused without a time is requested at growing intervals, so that no caller waits for each try', async () => {
    const standIn = await google();
    standIn.answerTokenRequests({ hangUp: true });
    const clock = { now: Date.now() };
    const prepared = await prepare(standIn, gatewayWith({ now: () => clock.now }));
    const rests: unknown[] = [];
    for (let tries = 1; tries <= 7; tries += 1) {
      await failureOf(prepared.send(device('t')));
      expect(standIn.tokenRequests).toBe(tries);
      const { retryAfterMs } = (await failureOf(prepared.send(device('t')))) as SendLater;
      rests.push(retryAfterMs);
      clock.now += retryAfterMs ?? 0;
    }
    expect(rests).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });
});

it('names the instance with an invalid key, and not the key', async () => {
  const standIn = await google();
  const bad = instanceOf(standIn, { private_key: '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----' });
  const fault = await failureOf((await prepare(standIn, gatewayWith(), bad)).send(device('t')));
  expect(fault).toBeInstanceOf(PlatformFault);
  expect(fault.message).toContain('sender@rookery-tests');
  expect(String(fault.stack)).not.toContain('c2VjcmV0');
});

it('reuses its connections and limits them over HTTP/1.1', async () => {
  const standIn = await google({ delayMs: 5, http2: false });
  const prepared = await prepare(standIn, gatewayWith({ connections: 3 }));
  await Promise.all(Array.from({ length: 30 }, (_, i) => prepared.send(device(`t${i}`))));
  expect(standIn.openConnections).toBe(3);
});

it("sends many messages at once on one connection, within Google's limit", async () => {
  const standIn = await google({ delayMs: 5 });
  const prepared = await prepare(standIn);
  await prepared.send(device('first'));
  const before = standIn.openConnections;
  await Promise.all(Array.from({ length: 90 }, (_, i) => prepared.send(device(`t${i}`))));
  expect(standIn.openConnections).toBe(before);
  await Promise.all(Array.from({ length: 250 }, (_, i) => prepared.send(device(`t${i}`))));
  expect(standIn.openConnections).toBeGreaterThan(before);
  expect(standIn.received).toHaveLength(341);
});

it('sends without TLS to a configured endpoint', async () => {
  const paths: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url);
    response.end(JSON.stringify({ access_token: 'ya29', expires_in: 3599 }));
  });
  const { port, close } = await listen(server);
  open.push({ close });
  const standIn = await google();
  const { fcm, ...rest } = instanceOf(standIn, { token_uri: `http://localhost:${port}/token` });
  const instance = { ...rest, fcm: { ...fcm!, endpoint: `http://localhost:${port}` } };
  expect(await (await prepare(standIn, gatewayWith(), instance)).send(device('t'))).toEqual({ outcome: 'delivered' });
  expect(paths).toEqual(['/token', '/v1/projects/rookery-tests/messages:send']);
});
