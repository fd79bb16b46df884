import { afterEach, describe, expect, it } from 'vitest';
import { ApnsGateway, FcmGateway, type PublishOptions } from 'rookery/publish';
import { MemoryDeviceRepository, type Platform, type Registration } from 'rookery/push-device';
import { instance } from '../support/push-app.js';
import { startPublishApp } from '../support/publish-app.js';
import { fcmError, standInApns, standInFcm } from '../support/stand-ins/index.js';
import { authority } from '../support/tls/index.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

const bundleIdentifier = 'com.example.app';
const hex = (number: number) => number.toString(16).padStart(64, '0');
const numbered = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** An app with Apple's and Google's stand-ins, and a receiver of its webhooks. */
async function world(publish: PublishOptions = {}) {
  const [apple, google, hooks] = [await standInApns(), await standInFcm(), await WebhookReceiver.start()];
  const devices = new MemoryDeviceRepository();
  const gateways = {
    apnsGateway: new ApnsGateway({ ca: authority }),
    fcmGateway: new FcmGateway({ ca: authority }),
  };
  const app = await startPublishApp({
    instances: [{ ...instance, apns: apple.credentials, fcm: google.credentials }],
    devices: { deviceRepository: devices },
    publish: { ...gateways, firstRetryMs: 20, allowPrivateNetwork: true, ...publish },
  });
  open.push(apple, google, hooks, app);
  const payloads = { apns: { aps: { alert: 'Hello' } }, fcm: { notification: { title: 'Hello' } } };
  return {
    apple,
    google,
    app,
    /** Stores devices that are subscribed to the news. */
    async have(platform: Platform, registrations: readonly Pick<Registration, 'token' | 'bundleIdentifier'>[]) {
      for (const each of registrations) {
        const { id } = await devices.register(instance.id, { ...each, platform, metadata: {} }, Date.now());
        await devices.addInterest(instance.id, platform, id, 'news');
      }
    },
    async publish(platform: 'apns' | 'fcm') {
      const body = { interests: ['news'], [platform]: payloads[platform], webhookUrl: hooks.url('/') };
      const { publishId } = (await app.publish(body)).json;
      const status = async () => (await app.status(publishId)).platforms[platform];
      const finished = async () => {
        await until(async () => (await app.status(publishId)).state === 'finished', 'it has finished');
        return status();
      };
      const results = async () => {
        await until(() => hooks.at('/').length === 2, 'FINISHED has come');
        return (JSON.parse(hooks.at('/')[1]?.rawBody ?? '') as { results: Record<string, object> }).results[platform];
      };
      return { status, finished, results };
    },
  };
}

describe('a device that Apple cannot reach', () => {
  it.each([
    ['of 8,192 characters', 'a'.repeat(8188)],
    ['that grows to 73,728 characters in a path', '漢'.repeat(8188)],
  ])('because of a token %s is settled at once, and does not delay the others', async (_, long) => {
    const { apple, have, publish } = await world();
    await have(
      'apns',
      numbered(400, (index) => ({ token: `${long}${index}`, bundleIdentifier })),
    );
    await have(
      'apns',
      numbered(300, (index) => ({ token: hex(index), bundleIdentifier })),
    );
    const { finished } = await publish('apns');
    expect(await finished()).toMatchObject({ audience: 700, sent: 300, failed: { 'HTTP 431': 400 }, retrying: 0 });
    expect(apple.count).toBe(300);
  });
});

it('sends to Android devices while Google refuses iOS devices, whose project has no key of Apple', async () => {
  const { google, have, publish } = await world();
  const refusal = fcmError(401, 'UNAUTHENTICATED', { errorCode: 'THIRD_PARTY_AUTH_ERROR' });
  const [phones, iPhones] = [numbered(1500, (index) => `android-${index}`), numbered(1500, (index) => `ios-${index}`)];
  for (const token of iPhones) google.answer(token, refusal);
  await have(
    'fcm',
    [...phones, ...iPhones].map((token) => ({ token })),
  );
  const { finished, results } = await publish('fcm');
  const state = await finished();
  expect(state).toMatchObject({ audience: 3000, sent: 1500, failed: { THIRD_PARTY_AUTH_ERROR: 1500 }, retrying: 0 });
  expect(state.explanations).toMatchObject([{ meaning: expect.stringContaining('APNs or web push credentials') }]);
  expect(state).not.toHaveProperty('fault');
  expect(await results()).toEqual({ numSuccessfulPublishes: 1500, numFailedPublishes: 1500 });
  expect([google.received.length, google.tokenRequests]).toEqual([3000, 1]);
});

describe('an app whose bundle identifier Apple refuses for the key', () => {
  const [good, bad] = ['com.example.good', 'com.example.bad'];
  const refusal = { status: 403, reason: 'InvalidProviderToken' };

  it('does not hold up the other app', async () => {
    const { apple, have, publish } = await world();
    await have(
      'apns',
      numbered(1500, (index) => ({ token: hex(index), bundleIdentifier: good })),
    );
    const refused = numbered(1500, (index) => hex(10_000 + index));
    for (const token of refused) apple.answer(token, refusal);
    await have(
      'apns',
      refused.map((token) => ({ token, bundleIdentifier: bad })),
    );
    const { status, finished, results } = await publish('apns');
    await until(async () => (await status()).audience === 3000, 'all are found');
    expect(await status()).toMatchObject({ sent: 1500, failed: {}, retrying: 1500 });
    expect((await status()).fault).toBe(`APNs refuses key ABC123DEFG for ${bad}: InvalidProviderToken`);
    for (const token of refused) apple.answer(token, { status: 200 });
    expect(await finished()).toMatchObject({ sent: 3000, failed: {} });
    expect(await status()).not.toHaveProperty('fault');
    expect(await results()).toEqual({ numSuccessfulPublishes: 3000 });
  });
});
