import { afterEach, describe, expect, it } from 'vitest';
import type { DeviceAddress, Instance } from 'rookery/push-device';
import {
  standInApns,
  type ApnsAnswer,
  type StandInApns,
  type StandInApnsOptions,
} from '../../../../../test/support/stand-ins/index.js';
import { authority } from '../../../../../test/support/tls/index.js';
import { PlatformFault, SendLater, type PreparedNotification } from '../push.gateway.js';
import { ApnsGateway, type ApnsGatewayOptions } from './apns.gateway.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function apple(options?: StandInApnsOptions): Promise<StandInApns> {
  const standIn = await standInApns(options);
  open.push(standIn);
  return standIn;
}

function gatewayWith(options: ApnsGatewayOptions = {}): ApnsGateway {
  const gateway = new ApnsGateway({ ca: authority, ...options });
  open.push(gateway);
  return gateway;
}

const instanceOf = (standIn: StandInApns): Instance => ({
  id: '8f9a6e22-2483-49aa-8552-125f1a4c5781',
  secretKey: 's',
  apns: standIn.credentials,
});

const prepare = (
  standIn: StandInApns,
  gateway = gatewayWith(),
  payload: Record<string, unknown> = { aps: { alert: 'hi' } },
) =>
  gateway.prepare({
    instance: instanceOf(standIn),
    publishId: 'pubid-1',
    publishedAt: Date.now(),
    payload,
  }) as Promise<PreparedNotification>;

const device = (token: string, bundleIdentifier = 'com.example.app'): DeviceAddress => ({
  id: `apns-${token}`,
  platform: 'apns',
  token,
  bundleIdentifier,
  registeredAt: 0,
});

const failureOf = (sending: Promise<unknown>): Promise<Error> =>
  sending.then(
    () => expect.unreachable('it should have failed'),
    (error: Error) => error,
  );

it('sends the payload with the topic of the device and a provider token', async () => {
  const standIn = await apple();
  const prepared = await prepare(standIn, gatewayWith(), { aps: { alert: 'hi' }, collapse_id: 'c', data: { a: 1 } });
  expect(await prepared.send(device('abcd'))).toEqual({ outcome: 'delivered' });
  expect(standIn.received).toMatchObject([
    {
      token: 'abcd',
      payload: { aps: { alert: 'hi' }, data: { a: 1, pusher: { publishId: 'pubid-1' } } },
      headers: { 'apns-topic': 'com.example.app', 'apns-collapse-id': 'c', 'apns-push-type': 'alert' },
      providerToken: { header: { alg: 'ES256', kid: 'ABC123DEFG' }, claims: { iss: 'DEF123GHIJ' } },
    },
  ]);
});

describe('what an answer means', () => {
  const rejected = (reason: string) => ({ outcome: 'rejected', reason });
  it.each<[number, string, object]>([
    [400, 'BadDeviceToken', { outcome: 'unregistered' }],
    [400, 'DeviceTokenNotForTopic', { outcome: 'unregistered' }],
    ...[
      'BadCollapseId',
      'BadExpirationDate',
      'BadMessageId',
      'BadPriority',
      'BadTopic',
      'DuplicateHeaders',
      'IdleTimeout',
      'InvalidPushType',
      'MissingDeviceToken',
      'MissingTopic',
      'PayloadEmpty',
      'TopicDisallowed',
    ].map((reason): [number, string, object] => [400, reason, rejected(reason)]),
    [404, 'BadPath', rejected('BadPath')],
    [405, 'MethodNotAllowed', rejected('MethodNotAllowed')],
    [410, 'Unregistered', { outcome: 'unregistered' }],
    [410, 'ExpiredToken', { outcome: 'unregistered' }],
    [413, 'PayloadTooLarge', rejected('PayloadTooLarge')],
  ])('%i %s', async (status, reason, outcome) => {
    const standIn = await apple();
    standIn.answer('abcd', { status, reason });
    expect(await (await prepare(standIn)).send(device('abcd'))).toEqual(outcome);
  });

  it('410 with the time since when the token is gone', async () => {
    const standIn = await apple();
    standIn.answer('abcd', { status: 410, reason: 'Unregistered', timestamp: 1_700_000_000_123 });
    const outcome = await (await prepare(standIn)).send(device('abcd'));
    expect(outcome).toEqual({ outcome: 'unregistered', before: 1_700_000_000_123 });
  });

  it.each(['BadCertificate', 'BadCertificateEnvironment', 'Forbidden', 'InvalidProviderToken', 'MissingProviderToken'])(
    '403 %s: the platform’s fault, with the key’s id',
    async (reason) => {
      const standIn = await apple();
      standIn.answer('abcd', { status: 403, reason });
      const fault = await failureOf((await prepare(standIn)).send(device('abcd')));
      expect(fault).toBeInstanceOf(PlatformFault);
      expect(fault.message).toBe(`APNs refuses key ABC123DEFG: ${reason}`);
    },
  );

  it.each<[ApnsAnswer, object]>([
    [
      { status: 429, reason: 'TooManyRequests' },
      { reason: 'TooManyRequests', retryAfterMs: undefined },
    ],
    [
      { status: 429, reason: 'TooManyRequests', headers: { 'retry-after': '7' } },
      { reason: 'TooManyRequests', retryAfterMs: 7000 },
    ],
    [{ status: 500, reason: 'InternalServerError' }, { reason: 'InternalServerError' }],
    [{ status: 503, reason: 'ServiceUnavailable', headers: { 'retry-after': '900' } }, { retryAfterMs: 900_000 }],
    [{ status: 503, reason: 'Shutdown' }, { reason: 'Shutdown' }],
    [{ status: 502 }, { reason: 'HTTP 502' }],
    [{ hangUp: true }, { reason: 'ConnectionLost' }],
  ])('%j: later', async (answer, expected) => {
    const standIn = await apple();
    standIn.answer('abcd', answer);
    const later = await failureOf((await prepare(standIn)).send(device('abcd')));
    expect(later).toBeInstanceOf(SendLater);
    expect(later).toMatchObject(expected);
  });

  it('no answer in time: later', async () => {
    const standIn = await apple();
    standIn.answer('abcd', { silence: true });
    const prepared = await prepare(standIn, gatewayWith({ timeoutMs: 50 }));
    expect(await failureOf(prepared.send(device('abcd')))).toMatchObject({ reason: 'Timeout' });
  });
});

describe('GOAWAY', () => {
  it('in the middle of many sends loses and repeats nothing', async () => {
    const standIn = await apple();
    const tokens = Array.from({ length: 3000 }, (_, i) => i.toString(16).padStart(8, '0'));
    for (const at of [500, 1000, 1500, 2000, 2500]) standIn.answer(tokens[at]!, { goaway: true }, { status: 200 });
    const prepared = await prepare(standIn);
    const outcomes = await Promise.all(tokens.map((token) => prepared.send(device(token))));
    expect(outcomes.every(({ outcome }) => outcome === 'delivered')).toBe(true);
    expect(standIn.received.map(({ token }) => token).sort()).toEqual(tokens);
    expect(standIn.connections).toBeGreaterThan(1);
  });

  it('with an error code is no different for what was not read', async () => {
    const standIn = await apple();
    standIn.answer('bbbb', { goaway: true, errorCode: 11 }, { status: 200 });
    const prepared = await prepare(standIn);
    expect(await prepared.send(device('aaaa'))).toEqual({ outcome: 'delivered' });
    expect(await prepared.send(device('bbbb'))).toEqual({ outcome: 'delivered' });
    expect(standIn.connections).toBe(2);
  });

  it('again and again leaves the device for later', async () => {
    const standIn = await apple();
    standIn.answer('bbbb', { goaway: true });
    const prepared = await prepare(standIn);
    await prepared.send(device('aaaa'));
    expect(await failureOf(prepared.send(device('bbbb')))).toBeInstanceOf(SendLater);
  });
});
