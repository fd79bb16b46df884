import { describe, expect, it } from 'vitest';
import { PlatformFault, type PushGateway, SendLater } from 'rookery/publish';
import { type Instance, type Platform } from 'rookery/push-device';
import {
  describePushGateway,
  type FakeAnswer,
  FakeApnsGateway,
  FakeFcmGateway,
  type FakeGateway,
  FakeWebGateway,
  type GatewayAndService,
  PushRecord,
  type Reaction,
} from '@rookery/testing';
import { brokenPromises } from './broken-promises.js';

const instance: Instance = { id: '11111111-1111-4111-8111-111111111111', secretKey: 'the-secret-of-the-instance' };
const text = (bytes: number): string => 'x'.repeat(bytes);

let devices = 0;
const newDevice = (platform: Platform) => ({
  id: `${platform}-${++devices}`,
  platform,
  token: `the-token-of-${devices}`,
  bundleIdentifier: 'com.example.app',
  registeredAt: 0,
});

/** A fake with its own words for what a service can be made to do. */
function fake<Word extends string | number>(
  make: (record: PushRecord) => FakeGateway<Word>,
  reactions: Readonly<Record<Reaction, FakeAnswer<Word>>>,
  payload: GatewayAndService['payload'],
): GatewayAndService {
  const record = new PushRecord();
  const gateway = make(record);
  return {
    platform: gateway.platform,
    gateway,
    instance,
    payload,
    device: () => newDevice(gateway.platform),
    expect: ({ token }, first, ...others) =>
      gateway.answerTo(token, reactions[first], ...others.map((each) => reactions[each])),
    received: () => record.pushes.map(({ token }) => token),
    openConnections: () => 0,
    secrets: ['the-secret-of-the-instance'],
  };
}

const apns = () =>
  fake(
    (record) => new FakeApnsGateway(record),
    {
      'takes it': 'delivered',
      'is busy for 7 s': { answer: 'TooManyRequests', retryAfterSeconds: 7 },
      'is down': 'ServiceUnavailable',
      'has forgotten it': 'Unregistered',
      'dislikes it': 'PayloadEmpty',
      'dislikes us': 'InvalidProviderToken',
      'is silent': 'unreachable',
    },
    (seconds, bytes) => ({ aps: { alert: text(bytes) }, expiration: Math.floor(Date.now() / 1000) + seconds }),
  );

const fcm = () =>
  fake(
    (record) => new FakeFcmGateway(record),
    {
      'takes it': 'delivered',
      'is busy for 7 s': { answer: 'QUOTA_EXCEEDED', retryAfterSeconds: 7 },
      'is down': 'UNAVAILABLE',
      'has forgotten it': 'UNREGISTERED',
      'dislikes it': 'INVALID_ARGUMENT',
      'dislikes us': 'THIRD_PARTY_AUTH_ERROR',
      'is silent': 'unreachable',
    },
    (seconds, bytes) => ({ notification: { title: text(bytes) }, time_to_live: seconds }),
  );

const web = () =>
  fake(
    (record) => new FakeWebGateway(record),
    {
      'takes it': 201,
      'is busy for 7 s': { answer: 429, retryAfterSeconds: 7 },
      'is down': 503,
      'has forgotten it': 410,
      'dislikes it': 413,
      'dislikes us': 403,
      'is silent': 'unreachable',
    },
    (seconds, bytes) => ({ notification: { title: text(bytes) }, time_to_live: seconds }),
  );

it.each([
  ['FakeApnsGateway', apns],
  ['FakeFcmGateway', fcm],
  ['FakeWebGateway', web],
])('%s keeps the contract of PushGateway, except that it needs no credentials', async (_name, fresh) => {
  expect(await brokenPromises(describePushGateway, fresh)).toEqual([
    'reports an instance without credentials, unless it has its own',
  ]);
});

it('a gateway with credentials of its own keeps all of it', async () => {
  expect(await brokenPromises(describePushGateway, () => ({ ...fcm(), hasOwnCredentials: true }))).toEqual([]);
});

describe('a fake gateway understands', () => {
  const send = async (gateway: PushGateway, payload: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const prepared = await gateway.prepare({ instance, publishId: 'pubid-1', publishedAt: Date.now(), payload });
    if ('rejected' in prepared) return prepared;
    return prepared.send(newDevice(gateway.platform)).catch((error: unknown) => error);
  };

  it.each([
    ['BadDeviceToken', { outcome: 'unregistered' }],
    [
      { answer: 'Unregistered', timestamp: 7 },
      { outcome: 'unregistered', before: 7 },
    ],
    ['PayloadTooLarge', { outcome: 'rejected', reason: 'PayloadTooLarge' }],
    ['TooManyRequests', expect.any(SendLater)],
    ['Shutdown', expect.any(SendLater)],
    ['ExpiredProviderToken', expect.any(PlatformFault)],
  ] as const)('%o as Apple means it', async (answer, outcome) => {
    const gateway = new FakeApnsGateway(new PushRecord());
    gateway.answer(answer);
    expect(await send(gateway, { aps: { alert: 'hi' } })).toEqual(outcome);
  });

  it.each([
    [{ answer: 'INVALID_ARGUMENT', violates: 'message.token' }, { outcome: 'unregistered' }],
    ['SENDER_ID_MISMATCH', { outcome: 'rejected', reason: 'SENDER_ID_MISMATCH' }],
    ['INTERNAL', expect.any(SendLater)],
    ['UNSPECIFIED_ERROR', expect.any(SendLater)],
    ['QUOTA_EXCEEDED', expect.objectContaining({ retryAfterMs: 60_000 })],
  ] as const)('%o as Google means it', async (answer, outcome) => {
    const gateway = new FakeFcmGateway(new PushRecord());
    gateway.answer(answer);
    expect(await send(gateway, { notification: { title: 'hi' } })).toEqual(outcome);
  });

  it.each([
    [202, { outcome: 'delivered' }],
    [404, { outcome: 'unregistered' }],
    [400, { outcome: 'rejected', reason: 'HTTP 400' }],
    [502, expect.any(SendLater)],
  ] as const)('%o as browsers’ push services mean it', async (answer, outcome) => {
    const gateway = new FakeWebGateway(new PushRecord());
    gateway.answer(answer);
    expect(await send(gateway, { notification: { title: 'hi' } })).toEqual(outcome);
  });

  it('answers in turn, repeats the last, answers one device separately, and resets all', async () => {
    const gateway = new FakeFcmGateway(new PushRecord());
    const outcomes: unknown[] = [];
    const next = async () => void outcomes.push(((await send(gateway, {})) as { outcome?: string }).outcome ?? 'later');
    gateway.answer('UNAVAILABLE', 'UNREGISTERED', 'delivered');
    gateway.answerTo(`the-token-of-${devices + 4}`, 'SENDER_ID_MISMATCH');
    for (let n = 0; n < 5; n++) await next();
    expect(outcomes).toEqual(['later', 'unregistered', 'delivered', 'rejected', 'delivered']);
    gateway.answer('INTERNAL');
    gateway.reset();
    await next();
    expect(outcomes.at(-1)).toBe('delivered');
  });
});
