import { createECDH } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ResolveAll } from '#common';
import type { DeviceAddress, Instance } from 'rookery/push-device';
import {
  standInWebPush,
  type StandInWebPush,
  type StandInWebPushOptions,
  type WebPushAnswer,
} from '../support/stand-ins/index.js';
import { authority } from '../support/tls/index.js';
import { PlatformFault, SendLater, type PreparedNotification } from '../../libs/publish/src/delivery/push.gateway.js';
import { WebPushGateway, type WebPushGatewayOptions } from '../../libs/publish/src/delivery/web/web-push.gateway.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const each of open.splice(0)) await each.close();
});

async function vendor(options?: StandInWebPushOptions): Promise<StandInWebPush> {
  const standIn = await standInWebPush(options);
  open.push(standIn);
  return standIn;
}

function gatewayWith(options: WebPushGatewayOptions = {}): WebPushGateway {
  const gateway = new WebPushGateway({ ca: authority, allowPrivateNetwork: true, ...options });
  open.push(gateway);
  return gateway;
}

const instanceOf = (standIn: StandInWebPush, changes: object = {}): Instance => ({
  id: '8f9a6e22-2483-49aa-8552-125f1a4c5781',
  secretKey: 's',
  web: { ...standIn.credentials, ...changes },
});

const prepare = (
  standIn: StandInWebPush,
  gateway = gatewayWith(),
  payload: Record<string, unknown> = { notification: { title: 'hi' } },
  instance = instanceOf(standIn),
  publishedAt = Date.now(),
) =>
  gateway.prepare({
    instance,
    publishId: 'pubid-1',
    publishedAt,
    payload,
  }) as Promise<PreparedNotification>;

const device = (token: string): DeviceAddress => ({ id: 'web-1', platform: 'web', token, registeredAt: 0 });

const failureOf = (sending: Promise<unknown>): Promise<Error> =>
  sending.then(
    () => expect.unreachable('it should have failed'),
    (error: Error) => error,
  );

it('pushes a message that the browser can decrypt, signed with VAPID', async () => {
  const standIn = await vendor();
  const { token, endpoint } = standIn.subscribe();
  const payload = { notification: { title: 'héllo' }, time_to_live: 60, urgency: 'high', topic: 't' };
  const prepared = await prepare(standIn, gatewayWith(), payload);
  expect(await prepared.send(device(token))).toEqual({ outcome: 'delivered' });
  expect(standIn.received).toMatchObject([
    {
      token,
      endpoint,
      payload: {
        notification: { title: 'héllo' },
        data: { pusher: { publishId: 'pubid-1', hasDisplayableContent: true, hasData: false } },
      },
      headers: {
        ttl: '60',
        urgency: 'high',
        topic: 't',
        'content-encoding': 'aes128gcm',
        'content-type': 'application/octet-stream',
      },
      vapid: { header: { alg: 'ES256' }, claims: { aud: standIn.url, sub: 'mailto:tests@rookery.example' } },
    },
  ]);
  expect(prepared.ttlMs).toBe(60_000);
});

it('sends the remaining time to live to the push service', async () => {
  const standIn = await vendor();
  const twentySecondsAgo = Date.now() - 20_000;
  const payload = { notification: { title: 'hi' }, time_to_live: 3600 };
  const prepared = await prepare(standIn, gatewayWith(), payload, instanceOf(standIn), twentySecondsAgo);
  await prepared.send(device(standIn.subscribe().token));
  const seconds = Number(standIn.received[0]?.headers.ttl);
  expect(seconds).toBeGreaterThan(3500);
  expect(seconds).toBeLessThanOrEqual(3580);
});

it('adds 103 bytes, so that the largest message makes a body of 4096', async () => {
  const standIn = await vendor();
  const { token } = standIn.subscribe();
  const overhead = JSON.stringify({
    notification: { body: '' },
    data: {
      pusher: { instanceId: instanceOf(standIn).id, publishId: 'pubid-1', hasDisplayableContent: true, hasData: false },
    },
  }).length;
  const prepared = await prepare(standIn, gatewayWith(), { notification: { body: 'x'.repeat(3993 - overhead) } });
  expect(await prepared.send(device(token))).toEqual({ outcome: 'delivered' });
  expect(standIn.received).toMatchObject([{ bytes: 4096 }]);
});

it('encrypts each message anew', async () => {
  const standIn = await vendor();
  const tokens = Array.from({ length: 40 }, () => standIn.subscribe().token);
  const prepared = await prepare(standIn);
  await Promise.all(tokens.map((token) => prepared.send(device(token))));
  expect(new Set(standIn.received.map(({ token }) => token))).toEqual(new Set(tokens));
});

describe('the VAPID header', () => {
  it('is signed once for many pushes to an origin', async () => {
    const standIn = await vendor();
    const gateway = gatewayWith();
    for (let i = 0; i < 3; i++) {
      const prepared = await prepare(standIn, gateway);
      await Promise.all([1, 2, 3].map(() => prepared.send(device(standIn.subscribe().token))));
    }
    expect(standIn.received).toHaveLength(9);
    expect(standIn.authorizations.size).toBe(1);
  });

  it('is valid for twelve hours and signed again after six', async () => {
    const standIn = await vendor();
    const { token } = standIn.subscribe();
    let now = Date.now();
    const prepared = await prepare(standIn, gatewayWith({ now: () => now }));
    await prepared.send(device(token));
    expect(standIn.received[0]?.vapid.claims.exp).toBe(Math.floor(now / 1000) + 12 * 3600);
    now += 7 * 3600 * 1000;
    await prepared.send(device(token));
    expect(standIn.authorizations.size).toBe(2);
    expect(standIn.received[1]?.vapid.claims.exp).toBe(Math.floor(now / 1000) + 12 * 3600);
  });

  const otherKey = createECDH('prime256v1');
  it.each([
    ['a key of another pair', { vapidPublicKey: otherKey.generateKeys('base64url') }],
    ['a private key that is none', { vapidPrivateKey: 'secret' }],
    ['no contact', { subject: '' }],
    ['a contact of another kind', { subject: 'http://example.com' }],
    ['a contact that Apple refuses', { subject: 'mailto:me@localhost' }],
  ])('cannot be made with %s: the platform’s fault', async (_name, changes) => {
    const standIn = await vendor();
    const fault = await failureOf(prepare(standIn, gatewayWith(), {}, instanceOf(standIn, changes)));
    expect(fault).toBeInstanceOf(PlatformFault);
    expect(fault.message).not.toContain(standIn.credentials.vapidPrivateKey);
  });
});

describe('the meaning of an answer', () => {
  const rejected = (reason: string) => ({ outcome: 'rejected', reason });
  it.each<[number, object]>([
    [200, { outcome: 'delivered' }],
    [201, { outcome: 'delivered' }],
    [202, { outcome: 'delivered' }],
    [404, { outcome: 'unregistered' }],
    [410, { outcome: 'unregistered' }],
    [400, rejected('HTTP 400')],
    [401, rejected('HTTP 401')],
    [403, rejected('HTTP 403')],
    [413, rejected('PayloadTooLarge')],
    [302, rejected('HTTP 302')],
    [406, rejected('HTTP 406')],
  ])('%i', async (status, outcome) => {
    vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const standIn = await vendor();
    const { token } = standIn.subscribe();
    standIn.answer(token, { status, headers: { location: 'https://localhost:1/' } });
    expect(await (await prepare(standIn)).send(device(token))).toEqual(outcome);
  });

  // PostgreSQL refuses them as a bigint, and with them the whole page, each time that it is tried.
  it.each(['1.5', '1e300', '1e400', '-1e300', '"1700000000123"', 'null'])(
    '410 without its timestamp when that is %s, which an endpoint may answer',
    async (timestamp) => {
      const standIn = await vendor();
      const { token } = standIn.subscribe();
      standIn.answer(token, { status: 410, body: `{"timestamp":${timestamp}}` });
      expect(await (await prepare(standIn)).send(device(token))).toEqual({ outcome: 'unregistered' });
    },
  );

  it('410 of Apple, with its timestamp', async () => {
    const standIn = await vendor();
    const { token } = standIn.subscribe();
    standIn.answer(token, { status: 410, body: '{"reason":"Unregistered","timestamp":1700000000123}' });
    const outcome = await (await prepare(standIn)).send(device(token));
    expect(outcome).toEqual({ outcome: 'unregistered', before: 1_700_000_000_123 });
  });

  it('a push service that limits the site gets no more messages until the time that it asks for', async () => {
    let now = Date.now();
    const standIn = await vendor();
    const prepared = await prepare(standIn, gatewayWith({ now: () => now }));
    const { token } = standIn.subscribe();
    standIn.answer(token, { status: 429, headers: { 'retry-after': '30' } });
    for (let n = 0; n < 5; n += 1) await failureOf(prepared.send(device(token)));
    expect(await failureOf(prepared.send(device(token)))).toMatchObject({
      reason: expect.stringMatching(/^TooManyMessages/),
      retryAfterMs: 30_000,
    });
    expect(standIn.received).toHaveLength(5);
    now += 30_001;
    standIn.answer(token, { status: 201 });
    expect(await prepared.send(device(token))).toEqual({ outcome: 'delivered' });
  });

  it('Windows, which answers 406 when it limits the site, gets no more messages until the time that it asks for', async () => {
    const standIn = await vendor();
    const prepared = await prepare(standIn);
    const { token } = standIn.subscribe();
    standIn.answer(token, { status: 406, headers: { 'retry-after': '30' } });
    for (let n = 0; n < 6; n += 1)
      expect(await failureOf(prepared.send(device(token)))).toMatchObject({
        reason: expect.stringMatching(/^TooManyMessages/),
      });
    expect(standIn.received).toHaveLength(5);
  });

  it.each<[string, WebPushAnswer, object]>([
    ...[408, 423, 425, 499].map((status): [string, WebPushAnswer, object] => [
      String(status),
      { status },
      { reason: `HTTP ${status}`, retryAfterMs: undefined },
    ]),
    ...[400, 401, 403, 406, 409, 413].map((status): [string, WebPushAnswer, object] => [
      `${status} with seconds`,
      { status, headers: { 'retry-after': '5' } },
      { reason: expect.stringContaining(`HTTP ${status}`), retryAfterMs: 5000 },
    ]),
    ['429', { status: 429 }, { reason: expect.stringContaining('HTTP 429'), retryAfterMs: undefined }],
    ['429 with seconds', { status: 429, headers: { 'retry-after': '5' } }, { retryAfterMs: 5000 }],
    ['500', { status: 500 }, { reason: 'HTTP 500' }],
    ['503 with seconds', { status: 503, headers: { 'retry-after': '9' } }, { retryAfterMs: 9000 }],
    ['a cut connection', { hangUp: true }, { reason: 'Unreachable (UND_ERR_SOCKET)' }],
  ])('%s: later', async (_name, answer, expected) => {
    const standIn = await vendor();
    const { token } = standIn.subscribe();
    standIn.answer(token, answer);
    const later = await failureOf((await prepare(standIn)).send(device(token)));
    expect(later).toBeInstanceOf(SendLater);
    expect(later).toMatchObject(expected);
  });

  it('no answer in time: later', async () => {
    const standIn = await vendor();
    const { token } = standIn.subscribe();
    standIn.answer(token, { silence: true });
    const prepared = await prepare(standIn, gatewayWith({ timeoutMs: 200 }));
    expect(await failureOf(prepared.send(device(token)))).toMatchObject({ reason: 'Timeout' });
  });

  it('no answer in time from a push service that never answered: later, and sooner than from one that did', async () => {
    const standIn = await vendor();
    const [answered, silent] = [standIn.subscribe(), standIn.subscribe()];
    standIn.answer(silent.token, { silence: true }, { silence: true });
    const clock = { now: Date.now() };
    const gateway = gatewayWith({ firstTimeoutMs: 500, timeoutMs: 3000, now: () => clock.now });
    const prepared = await prepare(standIn, gateway);
    const waited = async () => {
      const begunAt = performance.now();
      expect(await failureOf(prepared.send(device(silent.token)))).toMatchObject({ reason: 'Timeout' });
      return performance.now() - begunAt;
    };
    expect(await waited()).toBeLessThan(2900);
    clock.now += 60_000;
    expect(await prepared.send(device(answered.token))).toEqual({ outcome: 'delivered' });
    expect(await waited()).toBeGreaterThan(2900);
  });

  it('no answer from a push service: its other devices are postponed too, until one gets an answer', async () => {
    const standIn = await vendor();
    const clock = { now: Date.now() };
    const [silent, other] = [standIn.subscribe(), standIn.subscribe()];
    standIn.answer(silent.token, { silence: true });
    const prepared = await prepare(standIn, gatewayWith({ timeoutMs: 200, now: () => clock.now }));
    await failureOf(prepared.send(device(silent.token)));
    const later = { reason: 'Unreachable (lately)', retryAfterMs: 1000 };
    expect(await failureOf(prepared.send(device(other.token)))).toMatchObject(later);
    expect(standIn.received).toEqual([]);
    clock.now += 1000;
    expect(await prepared.send(device(other.token))).toEqual({ outcome: 'delivered' });
    expect(await prepared.send(device(other.token))).toEqual({ outcome: 'delivered' });
  });

  it('a push service that refuses the key is reported once per publish', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const standIn = await vendor();
    standIn.answerAll({ status: 403, body: '{"reason":"BadJwtToken"}' });
    const prepared = await prepare(standIn);
    for (let i = 0; i < 5; i++) await prepared.send(device(standIn.subscribe().token));
    expect(warn).toHaveBeenCalledOnce();
    expect(warn.mock.calls[0]?.[0]).toMatch(new RegExp(`^${standIn.url} answers 403 to pubid-1: `));
    expect(JSON.stringify(warn.mock.calls)).not.toMatch(/\/push\/|vapid t=/);
  });
});

describe('subscriptions are untrusted', () => {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
  const keys = { p256dh: createECDH('prime256v1').generateKeys('base64url'), auth: 'A'.repeat(22) };
  const endpoint = 'https://push.example/x';

  it.each([
    ['nothing', ''],
    ['no JSON', 'AAAA'],
    ['no object', encoded(null)],
    ['no keys', encoded({ endpoint })],
    ['a short auth', encoded({ endpoint, keys: { ...keys, auth: 'AAAA' } })],
    ['a short key', encoded({ endpoint, keys: { ...keys, p256dh: 'AAAA' } })],
    ['a compressed key', encoded({ endpoint, keys: { ...keys, p256dh: `Ag${'A'.repeat(85)}` } })],
    ['a key off the curve', encoded({ endpoint, keys: { ...keys, p256dh: `BA${'A'.repeat(85)}` } })],
    ['no URL', encoded({ endpoint: 'x', keys })],
    ['a URL too long for a request', encoded({ endpoint: `https://localhost/${'漢'.repeat(300)}`, keys })],
  ])('%s is rejected', async (_name, token) => {
    const standIn = await vendor();
    const outcome = await (await prepare(standIn)).send(device(token));
    expect(outcome).toEqual({ outcome: 'rejected', reason: 'InvalidSubscription' });
  });

  it.each([
    ['http', 'http://push.example/x', 'UnsafeUrl (scheme)'],
    ['a private address', 'https://169.254.169.254/latest', 'UnsafeUrl (private-address)'],
    ['a mapped private address', 'https://[::ffff:10.0.0.1]/', 'UnsafeUrl (private-address)'],
    ['a local name', 'https://localhost/', 'UnsafeUrl (private-address)'],
  ])('%s gets no request', async (_name, to, reason) => {
    const standIn = await vendor();
    const prepared = await prepare(standIn, gatewayWith({ allowPrivateNetwork: false, allowedHosts: ['*'] }));
    expect(await prepared.send(device(encoded({ endpoint: to, keys })))).toEqual({ outcome: 'rejected', reason });
  });

  it.each([
    'https://push.example/x',
    'https://fcm.googleapis.com.push.example/x',
    'https://push.apple.com.example/x',
    'https://mozilla.com/x',
  ])("%s gets no request unless configured: it is not a browser's push service", async (to) => {
    const standIn = await vendor();
    const prepared = await prepare(standIn, gatewayWith({ allowPrivateNetwork: false }));
    const rejected = { outcome: 'rejected', reason: 'UnsafeUrl (host)' };
    expect(await prepared.send(device(encoded({ endpoint: to, keys })))).toEqual(rejected);
  });

  it.each([
    'https://fcm.googleapis.com/fcm/send/x',
    'https://jmt17.google.com/fcm/send/x',
    'https://updates.push.services.mozilla.com/wpush/v2/x',
    'https://web.push.apple.com/x',
    'https://wns2-par02p.notify.windows.com/w/?token=x',
  ])("%s gets a request: it is a browser's push service", async (to) => {
    const standIn = await vendor();
    const asked: string[] = [];
    const resolve: ResolveAll = (hostname, _options, callback) => {
      asked.push(hostname);
      callback(null, []);
    };
    const prepared = await prepare(standIn, gatewayWith({ allowPrivateNetwork: false, resolve }));
    await prepared.send(device(encoded({ endpoint: to, keys })));
    expect(asked).toEqual([new URL(to).hostname]);
  });
});

describe('Windows', () => {
  /** A way to a stand-in of Windows' push service, which refuses a TTL of 0 unless it need not keep the message. */
  async function windows() {
    const policies: unknown[] = [];
    const service = createServer(({ headers }, response) => {
      const policy = headers['x-wns-cache-policy'];
      policies.push(policy);
      const isRefused = headers['ttl'] === '0' && policy !== 'no-cache';
      response.writeHead(isRefused ? 400 : 201, isRefused ? { 'x-wns-error-description': 'Ttl value conflicts' } : {});
      response.end();
    });
    await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
    open.push({ close: async () => void service.close() });
    const { keys } = JSON.parse(Buffer.from((await vendor()).subscribe().token, 'base64').toString());
    const endpoint = `http://db5p.notify.windows.com:${(service.address() as AddressInfo).port}/w/?token=1`;
    const resolve: ResolveAll = (_hostname, _options, callback) =>
      callback(null, [{ address: '127.0.0.1', family: 4 }]);
    return { policies, token: Buffer.from(JSON.stringify({ endpoint, keys })).toString('base64'), resolve };
  }

  it.each([
    [0, 'no-cache'],
    [60, 'cache'],
    [undefined, 'cache'],
  ])('gets a push with a time to live of %s and the policy that goes with it', async (time_to_live, policy) => {
    const { policies, token, resolve } = await windows();
    const payload = { notification: { title: 'hi' }, ...(time_to_live !== undefined && { time_to_live }) };
    const prepared = await prepare(await vendor(), gatewayWith({ resolve }), payload);
    expect(await prepared.send(device(token))).toEqual({ outcome: 'delivered' });
    expect(policies).toEqual([policy]);
  });

  it('alone gets that policy', async () => {
    const standIn = await vendor();
    await (await prepare(standIn)).send(device(standIn.subscribe().token));
    expect(standIn.received[0]?.headers).not.toHaveProperty('x-wns-cache-policy');
  });
});

it('logs a 400 with what the push service says, and does not blame the VAPID keys alone', async () => {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
  const standIn = await vendor();
  const { token } = standIn.subscribe();
  standIn.answer(token, { status: 400, headers: { 'x-wns-error-description': 'Ttl value conflicts' } });
  await (await prepare(standIn)).send(device(token));
  expect(warn.mock.calls[0]?.[0]).toMatch(/answers 400 to pubid-1: .*a header of the publish.*"Ttl value conflicts"$/);
});

it('pushes over http too if private networks are allowed', async () => {
  const standIn = await vendor();
  const paths: string[] = [];
  const plain = createServer(({ url = '' }, response) => {
    paths.push(url);
    response.writeHead(201).end();
  });
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  open.push({ close: async () => void plain.close() });
  const { keys } = JSON.parse(Buffer.from(standIn.subscribe().token, 'base64').toString());
  const endpoint = `http://127.0.0.1:${(plain.address() as AddressInfo).port}/push/1`;
  const token = Buffer.from(JSON.stringify({ endpoint, keys })).toString('base64');
  expect(await (await prepare(standIn)).send(device(token))).toEqual({ outcome: 'delivered' });
  expect(paths).toEqual(['/push/1']);
});
