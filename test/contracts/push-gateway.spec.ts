import { Logger } from '@nestjs/common';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ApnsGateway,
  FcmGateway,
  PushGateway,
  WebPushGateway,
  SendLater,
  PlatformFault,
  type Outcome,
  type PreparedNotification,
} from 'rookery/publish';
import type { Awaitable } from '#common';
import type { DeviceAddress, Instance, Platform } from 'rookery/push-device';
import {
  fcmError,
  standInApns,
  standInFcm,
  standInWebPush,
  type ApnsAnswer,
  type FcmAnswer,
  type WebPushAnswer,
} from '../support/stand-ins/index.js';
import { authority } from '../support/tls/index.js';
import { type Fresh, type GatewayAndService, type Reaction, describePushGateway } from '@rookery/testing';
import { doubleOf } from './broken-doubles.js';
import { brokenPromises } from './broken-promises.js';

type AtEnd = Parameters<Fresh<GatewayAndService>>[0];

const timeoutMs = 10_000;
// Few connections, as each costs both sides a handshake; many messages wait for one of them.
const options = { ca: authority, timeoutMs, connections: 20 };
const busy = { 'retry-after': '7' };

let devices = 0;
const addressed = (platform: Platform, token: string): DeviceAddress => ({
  id: `${platform}-${devices}`,
  platform,
  token,
  bundleIdentifier: 'com.example.app',
  registeredAt: 0,
});
const instanceWith = (credentials: Partial<Instance>): Instance => ({
  id: '8f9a6e22-2483-49aa-8552-125f1a4c5781',
  secretKey: 'the-secret-of-the-instance',
  ...credentials,
});
const text = (bytes: number) => 'x'.repeat(bytes);

const apnsReactions: Record<Reaction, ApnsAnswer> = {
  'takes it': { status: 200 },
  'is busy for 7 s': { status: 429, reason: 'TooManyRequests', headers: busy },
  'is down': { status: 503, reason: 'ServiceUnavailable' },
  'has forgotten it': { status: 410, reason: 'Unregistered', timestamp: 1_700_000_000_000 },
  'dislikes it': { status: 400, reason: 'PayloadEmpty' },
  'dislikes us': { status: 403, reason: 'InvalidProviderToken' },
  'is silent': { silence: true },
};

async function apns(atEnd: AtEnd, gateway: PushGateway = new ApnsGateway(options)): Promise<GatewayAndService> {
  const service = await standInApns();
  atEnd(() => closeAll(gateway, service));
  return {
    platform: 'apns',
    gateway,
    instance: instanceWith({ apns: service.credentials }),
    payload: (seconds, bytes) => ({ aps: { alert: text(bytes) }, expiration: Math.floor(Date.now() / 1000) + seconds }),
    device: () => addressed('apns', (0xabcdef00 + devices++).toString(16)),
    expect: ({ token }, ...reactions) => service.answer(token, ...reactions.map((each) => apnsReactions[each])),
    received: () => service.received.map(({ token }) => token),
    openConnections: () => service.openConnections,
    secrets: [lineOf(service.credentials.key), 'the-secret-of-the-instance', 'bearer e'],
  };
}

const fcmReactions: Record<Reaction, FcmAnswer> = {
  'takes it': { status: 200 },
  'is busy for 7 s': { status: 429, headers: busy },
  'is down': fcmError(503, 'UNAVAILABLE'),
  'has forgotten it': fcmError(404, 'NOT_FOUND', { errorCode: 'UNREGISTERED' }),
  'dislikes it': fcmError(400, 'INVALID_ARGUMENT', { violates: 'message.data[0].value' }),
  'dislikes us': fcmError(403, 'PERMISSION_DENIED'),
  'is silent': { silence: true },
};

async function fcm(atEnd: AtEnd, gateway: PushGateway = new FcmGateway(options)): Promise<GatewayAndService> {
  const service = await standInFcm();
  atEnd(() => closeAll(gateway, service));
  return {
    platform: 'fcm',
    gateway,
    instance: instanceWith({ fcm: service.credentials }),
    payload: (seconds, bytes) => ({ notification: { title: text(bytes) }, time_to_live: seconds }),
    device: () => addressed('fcm', `token-of-device:${devices++}`),
    expect: ({ token }, ...reactions) => service.answer(token, ...reactions.map((each) => fcmReactions[each])),
    received: () => service.received.map(({ token }) => token),
    openConnections: () => service.openConnections,
    secrets: [lineOf(service.credentials.serviceAccount.private_key), 'the-secret-of-the-instance', 'ya29'],
  };
}

const webReactions: Record<Reaction, WebPushAnswer> = {
  'takes it': { status: 201 },
  'is busy for 7 s': { status: 429, headers: busy },
  'is down': { status: 503 },
  'has forgotten it': { status: 410 },
  'dislikes it': { status: 413 },
  'dislikes us': { status: 403 },
  'is silent': { silence: true },
};

async function web(
  atEnd: AtEnd,
  gateway: PushGateway = new WebPushGateway({ ...options, allowPrivateNetwork: true }),
): Promise<GatewayAndService> {
  const service = await standInWebPush();
  atEnd(() => closeAll(gateway, service));
  return {
    platform: 'web',
    gateway,
    instance: instanceWith({ web: service.credentials }),
    payload: (seconds, bytes) => ({ notification: { title: text(bytes) }, time_to_live: seconds }),
    device: () => addressed('web', service.subscribe().token),
    expect: ({ token }, ...reactions) => service.answer(token, ...reactions.map((each) => webReactions[each])),
    received: () => service.received.map(({ token }) => token),
    openConnections: () => service.openConnections,
    secrets: [service.credentials.vapidPrivateKey, 'the-secret-of-the-instance', 'vapid t=', '/push/'],
  };
}

const lineOf = (pem: string) => pem.split('\n')[1]!;

async function closeAll(...each: { close(): Promise<void> }[]): Promise<void> {
  for (const one of each) await one.close();
}

const logged: unknown[] = [];
beforeEach(() => {
  logged.length = 0;
  for (const level of ['log', 'warn', 'error', 'debug', 'verbose', 'fatal'] as const)
    vi.spyOn(Logger.prototype, level).mockImplementation((...said) => void logged.push(said));
});

describe('ApnsGateway', () => {
  describePushGateway(apns);
});
describe('FcmGateway', () => {
  describePushGateway(fcm);
});
describe('WebPushGateway', () => {
  describePushGateway(web);
});

/** Makes a gateway that is right but for some methods. */
const wrong =
  (methods: (right: ApnsGateway) => Partial<PushGateway>, settings = options) =>
  (): PushGateway =>
    doubleOf<PushGateway, ApnsGateway>(new ApnsGateway(settings), methods);

type Send = PreparedNotification['send'];

/** Makes one that sends otherwise what it prepares. */
const sending = (otherwise: (send: Send, device: DeviceAddress) => Promise<Outcome>, ttlMs?: number) =>
  wrong((right) => ({
    async prepare(notification) {
      const prepared = await right.prepare(notification);
      if ('rejected' in prepared) return prepared;
      const send: Send = (device) => prepared.send(device);
      return { ttlMs: ttlMs ?? prepared.ttlMs, send: (device) => otherwise(send, device) };
    },
  }));

/** Makes one that answers otherwise than the service. */
const answering = (otherwise: (outcome: Outcome | Error, device: DeviceAddress) => Outcome | Error) =>
  sending(async (send, device) => {
    const outcome = otherwise(await send(device).catch((error: Error) => error), device);
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });

const doubles: Readonly<Record<string, Readonly<Record<string, () => PushGateway>>>> = {
  'names its platform': { 'has another platform': wrong(() => ({ platform: 'fcm' })) },
  'delivers to many devices concurrently, once to each': {
    'sends twice': sending(async (send, device) => {
      await send(device).catch(() => {});
      return send(device);
    }),
  },
  'delivers to a device': { 'pretends to deliver': sending(async () => ({ outcome: 'delivered' })) },
  'postpones what an unavailable service cannot accept': {
    'rejects busy answers': answering((outcome) =>
      outcome instanceof SendLater ? { outcome: 'rejected', reason: outcome.reason } : outcome,
    ),
  },
  'postpones what a busy service defers, reports until when, and then delivers it': {
    'drops the timestamp': answering((outcome) =>
      outcome instanceof SendLater ? new SendLater(outcome.reason) : outcome,
    ),
  },
  'blames no device for our credentials': {
    'removes unreachable devices': answering((outcome) =>
      outcome instanceof PlatformFault || ('outcome' in outcome && outcome.outcome === 'rejected')
        ? { outcome: 'unregistered' }
        : outcome,
    ),
  },
  'reports that a device is unregistered': {
    'keeps the gone': answering((outcome) =>
      'outcome' in outcome && outcome.outcome === 'unregistered'
        ? { outcome: 'rejected', reason: 'Unregistered' }
        : outcome,
    ),
  },
  'reveals no token and no credential in its errors': {
    'quotes the token': answering((outcome, { token }) =>
      outcome instanceof SendLater ? new SendLater(`${outcome.reason} for ${token}`, outcome.retryAfterMs) : outcome,
    ),
  },
  'sends nothing that is too large': {
    'sends any size': wrong((right) => ({
      async prepare(notification) {
        const prepared = await right.prepare(notification);
        if (!('rejected' in prepared)) return prepared;
        return { ttlMs: 0, send: async () => ({ outcome: 'rejected', reason: 'PayloadTooLarge' }) };
      },
    })),
  },
  'refuses in advance only what it would not send, if it does': {
    'refuses in advance': wrong(() => ({ refusal: () => 'PayloadTooLarge' })),
  },
  'does not mix up several notifications': {
    'ignores the time to live': sending((send, device) => send(device), Infinity),
  },
  'reports an instance without credentials, unless it has its own': {
    'needs no credentials': wrong((right) => ({
      prepare: async (notification) =>
        notification.instance.apns ? right.prepare(notification) : { rejected: 'NoCredentials' },
    })),
  },
  'postpones work in progress when it is closed, and closes its connections': {
    'never closes': neverClosing,
  },
};

/** The second time is the test's own, to clean up. It waits until what is under way has timed out. */
function neverClosing(): PushGateway {
  let asked = 0;
  return wrong((right) => ({ close: async () => void (asked++ > 0 && (await right.close())) }), {
    ...options,
    timeoutMs: 2000,
  })();
}

it.each(
  Object.entries(doubles).flatMap(([promise, broken]) =>
    Object.entries(broken).map(([name, make]) => [name, promise, make] as const),
  ),
)('rejects a gateway that %s: %s', async (_, promise, make) => {
  const broken = brokenPromises(describePushGateway, (atEnd) => apns(atEnd, make()), promise);
  expect(await broken).toEqual([promise]);
});

it('accepts the gateway that the broken ones are built on', async () => {
  const right = sending((send, device) => send(device));
  expect(await brokenPromises(describePushGateway, (atEnd) => apns(atEnd, right()))).toEqual([]);
});

it.each([
  ['apns', apns],
  ['fcm', fcm],
  ['web', web],
])('%s logs no token and no credential', async (_platform, fresh) => {
  const closings: (() => Awaitable<void>)[] = [];
  const port = await fresh((close) => void closings.push(close));
  const device = port.device();
  port.expect(device, 'dislikes us', 'is down', 'is busy for 7 s', 'dislikes it', 'has forgotten it');
  const payload = port.payload(60, 10);
  const notification = await port.gateway.prepare({ instance: port.instance, publishId: 'p', publishedAt: 0, payload });
  if ('rejected' in notification) throw new Error('It was rejected');
  for (let i = 0; i < 5; i++) await notification.send(device).catch(() => {});
  for (const secret of [device.token, ...port.secrets]) expect(JSON.stringify(logged)).not.toContain(secret);
  for (const close of closings) await close();
});
