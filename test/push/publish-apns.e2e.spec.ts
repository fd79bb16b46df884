import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApnsGateway } from 'rookery/publish';
import { instance } from '../support/push-app.js';
import { startPublishApp } from '../support/publish-app.js';
import { type StandInApns, standInApns } from '../support/stand-ins/index.js';
import { authority } from '../support/tls/index.js';
import { until } from '../support/until.js';

let apple: StandInApns;
let app: Awaited<ReturnType<typeof startPublishApp>>;
beforeAll(async () => {
  apple = await standInApns();
  app = await startPublishApp({
    instances: [{ ...instance, apns: apple.credentials }],
    publish: { apnsGateway: new ApnsGateway({ ca: authority, timeoutMs: 5000 }), pageSize: 200, firstRetryMs: 20 },
  });
});
afterAll(async () => {
  await app.close();
  await apple.close();
});

const devices = `/device_api/v1/instances/${instance.id}/devices/apns`;
const apns = { aps: { alert: 'Hello' } };

/** Registers an Apple device with one interest. Answers its path. */
async function register(token: string, interest: string): Promise<string> {
  const body = { token, bundleIdentifier: 'com.example.app' };
  const { json } = await app.call('POST', devices, { body });
  await app.call('POST', `${devices}/${json.id}/interests/${interest}`);
  return `${devices}/${json.id}`;
}

/** Publishes to an interest and answers how that ended. */
async function published(interest: string, payload: object = apns) {
  const { json } = await app.publish({ interests: [interest], apns: payload });
  await until(async () => (await app.status(json.publishId)).state === 'finished', 'the publish has finished');
  return (await app.status(json.publishId)).platforms.apns;
}

const hex = (number: number) => number.toString(16).padStart(64, '0');
const isRegistered = async (path: string) => (await app.call('GET', path)).status === 200;

describe('a publish to Apple devices', () => {
  it('loses no device when connections are closed in the middle of it', async () => {
    const tokens = Array.from({ length: 210 }, (_, index) => hex(index));
    await Promise.all(tokens.map((token) => register(token, 'goaway')));
    for (const token of [45, 90, 91, 165]) apple.answer(hex(token), { goaway: true }, { status: 200 });
    expect(await published('goaway')).toMatchObject({ audience: 210, sent: 210, failed: {}, removedDevices: 0 });
    const reached = new Set(apple.received.map(({ token }) => token));
    expect(tokens.filter((token) => !reached.has(token))).toEqual([]);
  });

  it('removes gone devices, but not one that has registered again', async () => {
    const [gone, back, bad] = ['aa', 'bb', 'cc'].map((digits) => digits.repeat(32));
    const paths = await Promise.all([gone, back, bad].map((token) => register(token ?? '', 'gone')));
    apple.answer(gone ?? '', { status: 410, reason: 'Unregistered', timestamp: Date.now() + 60_000 });
    apple.answer(back ?? '', { status: 410, reason: 'Unregistered', timestamp: Date.now() - 60_000 });
    apple.answer(bad ?? '', { status: 400, reason: 'BadDeviceToken' });
    expect(await published('gone')).toMatchObject({ sent: 0, failed: { unregistered: 3 }, removedDevices: 2 });
    expect(await Promise.all(paths.map(isRegistered))).toEqual([false, true, false]);
  });

  it('retries if Apple is busy', async () => {
    const token = 'dd'.repeat(32);
    await register(token, 'busy');
    apple.answer(
      token,
      { status: 503, reason: 'ServiceUnavailable' },
      { status: 429, reason: 'TooManyRequests' },
      { status: 200 },
    );
    expect(await published('busy')).toMatchObject({ sent: 1, failed: {} });
    expect(apple.received.filter((one) => one.token === token)).toHaveLength(3);
  });

  it('reports the fault of the key, removes no device, and sends once it is fixed', async () => {
    const path = await register('ee'.repeat(32), 'fault');
    apple.answerAll({ status: 403, reason: 'InvalidProviderToken' });
    const { json } = await app.publish({ interests: ['fault'], apns });
    const state = async () => (await app.status(json.publishId)).platforms.apns;
    await until(async () => (await state()).fault !== undefined, 'the fault is known');
    expect(await state()).toMatchObject({ audience: 1, sent: 0, retrying: 1, failed: {}, removedDevices: 0 });
    expect((await state()).fault).toMatch(/InvalidProviderToken/);
    expect(await isRegistered(path)).toBe(true);
    apple.answerAll();
    await until(async () => (await state()).sent === 1, 'it was sent');
    expect(await state()).not.toHaveProperty('fault');
  });

  it('updates a live activity at the topic of live activities', async () => {
    const token = 'ff'.repeat(32);
    await register(token, 'score');
    const aps = { timestamp: 1_800_000_000, event: 'update', 'content-state': { home: 2, away: 1 } };
    expect(await published('score', { push_type: 'liveactivity', aps, priority: 5 })).toMatchObject({ sent: 1 });
    const [update] = apple.received.filter((one) => one.token === token);
    expect(update?.headers).toMatchObject({
      'apns-topic': 'com.example.app.push-type.liveactivity',
      'apns-push-type': 'liveactivity',
      'apns-priority': '5',
    });
    expect(update?.payload).toEqual({ aps });
  });

  it('keeps a device with a token of another kind of push', async () => {
    const token = 'ab'.repeat(32);
    const path = await register(token, 'calls');
    apple.answer(token, { status: 400, reason: 'DeviceTokenNotForTopic' });
    const state = await published('calls', { push_type: 'voip', aps: {} });
    expect(state).toMatchObject({ failed: { DeviceTokenNotForTopic: 1 }, removedDevices: 0 });
    expect(await isRegistered(path)).toBe(true);
  });

  it('refuses a kind of push that provider tokens cannot send', async () => {
    const { status, json } = await app.publish({ interests: ['calls'], apns: { push_type: 'mdm' } });
    expect({ status, json }).toMatchObject({ status: 422, json: { error: 'Unprocessable Entity' } });
  });
});
