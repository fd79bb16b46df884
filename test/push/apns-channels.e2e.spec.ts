import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Instance } from 'rookery/push-device';
import { standInApns, type ApnsAnswer, type StandInApns } from '../support/stand-ins/index.js';
import { authority } from '../support/tls/index.js';
import { managementEndpoint } from '../../libs/publish/src/delivery/apns/apns-account.js';
import { ApnsGateway } from '../../libs/publish/src/delivery/apns/apns.gateway.js';
import { ChannelRefused } from '../../libs/publish/src/delivery/broadcast-channels.js';
import {
  PlatformFault,
  type PlatformPayload,
  type PreparedNotification,
  SendLater,
} from '../../libs/publish/src/delivery/push.gateway.js';

const app = 'com.example.app';
const management = `/1/apps/${app}/channels`;
const sending = `/4/broadcasts/apps/${app}`;
const expired: ApnsAnswer = { status: 403, reason: 'ExpiredProviderToken' };

let apple: StandInApns;
let gateway: ApnsGateway;
let instance: Instance;
beforeEach(async () => {
  apple = await standInApns();
  gateway = new ApnsGateway({ ca: authority, timeoutMs: 5000 });
  instance = { id: '8f9a6e22-2483-49aa-8552-125f1a4c5781', secretKey: 's', apns: apple.credentials };
});
afterEach(async () => {
  await gateway.close();
  await apple.close();
});

const failureOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => expect.unreachable('it should have failed'),
    (error: Error) => error,
  );

describe('the management of channels', () => {
  const create = (storesLatest = true) => gateway.channels.create(instance, app, storesLatest);

  it('creates a channel and deletes it', async () => {
    const [stores, none] = [await create(), await create(false)];
    expect([...apple.channels.of(app)]).toEqual([
      [stores, 1],
      [none, 0],
    ]);
    await gateway.channels.delete(instance, app, stores);
    expect([...apple.channels.of(app).keys()]).toEqual([none]);
    await gateway.channels.delete(instance, app, stores);
  });

  it('takes place at ports of its own at Apple', () => {
    expect(
      ['https://api.push.apple.com', 'https://api.sandbox.push.apple.com', apple.url].map(managementEndpoint),
    ).toEqual([
      'https://api-manage-broadcast.push.apple.com:2196',
      'https://api-manage-broadcast.sandbox.push.apple.com:2195',
      apple.url,
    ]);
  });

  it('is refused beyond the limit of channels, and for an app without broadcasts', async () => {
    apple.channels.limit = 1;
    await create();
    expect(await failureOf(create())).toEqual(new ChannelRefused('CannotCreateChannelConfig'));
    apple.channels.disabled.add(app);
    expect(await failureOf(create())).toMatchObject({ reason: 'FeatureNotEnabled' });
  });

  it('renews an expired provider token once', async () => {
    apple.answer(management, expired, { status: 200 });
    expect(await create()).toMatch(/=*$/);
    expect(apple.channels.created).toBe(1);
  });

  it.each<[ApnsAnswer, object]>([
    [{ status: 429, reason: 'TooManyRequests', headers: { 'retry-after': '7' } }, { retryAfterMs: 7000 }],
    [{ status: 500, reason: 'InternalServerError' }, { reason: 'InternalServerError' }],
    [{ status: 503, reason: 'Shutdown' }, { reason: 'Shutdown' }],
    [{ hangUp: true }, { reason: 'ConnectionLost' }],
  ])('%j: later', async (answer, expected) => {
    apple.answer(management, answer);
    const later = await failureOf(create());
    expect(later).toBeInstanceOf(SendLater);
    expect(later).toMatchObject(expected);
  });

  it('fails with the key of the instance', async () => {
    apple.answer(management, { status: 403, reason: 'TopicMismatch' });
    expect(await failureOf(create())).toEqual(
      new PlatformFault('APNs refuses key ABC123DEFG for com.example.app: TopicMismatch', 'com.example.app'),
    );
    instance = { ...instance, apns: undefined };
    expect((await failureOf(create())).message).toMatch(/has no APNs credentials/);
  });
});

describe('a broadcast', () => {
  const publishedAt = Date.parse('2026-11-21T09:00:00Z');
  const score = { aps: { event: 'update', timestamp: 1, 'content-state': { home: 2 } } };
  const prepared = async (payload: PlatformPayload = score) => {
    const notification = { instance, publishId: 'pubid-1', publishedAt, payload, isBroadcast: true };
    return (await gateway.prepare(notification)) as PreparedNotification;
  };
  const to = (token: string, storesLatest = true) =>
    ({ id: 'apns-1', platform: 'apns', token, bundleIdentifier: app, registeredAt: 0, storesLatest }) as const;

  it('is one request to a channel', async () => {
    const channel = await gateway.channels.create(instance, app, true);
    expect(await (await prepared()).send(to(channel))).toEqual({ outcome: 'delivered' });
    expect(apple.channels.broadcasts).toMatchObject([
      {
        bundleIdentifier: app,
        channelId: channel,
        payload: score,
        headers: {
          'apns-push-type': 'liveactivity',
          'apns-priority': '10',
          // Apple keeps the latest update for eight hours.
          'apns-expiration': String(publishedAt / 1000 + 8 * 3600),
        },
      },
    ]);
    expect(apple.channels.broadcasts[0]?.headers).not.toHaveProperty('apns-topic');
  });

  it('takes priority and expiration of the payload, but no expiration for a channel that stores nothing', async () => {
    const [stores, none] = await Promise.all([true, false].map((each) => gateway.channels.create(instance, app, each)));
    const broadcast = await prepared({ ...score, priority: 5, expiration: 1_900_000_000 });
    await broadcast.send(to(stores!));
    await broadcast.send(to(none!, false));
    expect(apple.channels.broadcasts.map(({ headers, payload }) => [headers['apns-expiration'], payload])).toEqual([
      ['1900000000', score],
      ['0', score],
    ]);
    expect(apple.channels.broadcasts[0]?.headers['apns-priority']).toBe('5');
  });

  it('gets the time of its publish if it has no timestamp', async () => {
    const channel = await gateway.channels.create(instance, app, true);
    await (await prepared({ aps: { event: 'end' } })).send(to(channel));
    expect(apple.channels.broadcasts[0]?.payload).toEqual({ aps: { timestamp: publishedAt / 1000, event: 'end' } });
  });

  it('has at most 5120 bytes', async () => {
    const channel = await gateway.channels.create(instance, app, true);
    const empty = JSON.stringify({ ...score, text: '' }).length;
    const ofBytes = (bytes: number) => prepared({ ...score, text: 'x'.repeat(bytes - empty) });
    expect(await (await ofBytes(5120)).send(to(channel))).toEqual({ outcome: 'delivered' });
    expect(await ofBytes(5121)).toEqual({ rejected: 'PayloadTooLarge' });
  });

  it.each<[string, ApnsAnswer, object]>([
    ['an unknown channel', { status: 400, reason: 'ChannelNotRegistered' }, { outcome: 'unregistered' }],
    ['a malformed id', { status: 400, reason: 'BadChannelId' }, { outcome: 'unregistered' }],
    [
      'another refusal',
      { status: 400, reason: 'FeatureNotEnabled' },
      { outcome: 'rejected', reason: 'FeatureNotEnabled' },
    ],
  ])('%s', async (_, answer, outcome) => {
    apple.answer(sending, answer);
    expect(await (await prepared()).send(to('AAAA'))).toEqual(outcome);
  });

  it('is retried later, and faults of the key are the platform’s', async () => {
    const channel = await gateway.channels.create(instance, app, true);
    apple.answer(sending, { status: 429, reason: 'TooManyRequests' }, { status: 403, reason: 'InvalidProviderToken' });
    const broadcast = await prepared();
    expect(await failureOf(broadcast.send(to(channel)))).toBeInstanceOf(SendLater);
    expect(await failureOf(broadcast.send(to(channel)))).toBeInstanceOf(PlatformFault);
  });

  it('renews an expired provider token', async () => {
    const channel = await gateway.channels.create(instance, app, true);
    apple.answer(sending, expired, { status: 200 });
    expect(await (await prepared()).send(to(channel))).toEqual({ outcome: 'delivered' });
  });
});
