import { Logger } from '@nestjs/common';
import { createECDH } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { applePem, googlePem } from '../support/private-keys.js';
import { instance, otherInstance, startDeviceApi } from '../support/push-app.js';

let api: Awaited<ReturnType<typeof startDeviceApi>>;
beforeAll(async () => {
  api = await startDeviceApi();
});
afterAll(() => api.close());

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const p256dh = createECDH('prime256v1').generateKeys('base64url');
const keys = { p256dh, auth: Buffer.alloc(16, 7).toString('base64url') };
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const webToken = (subscription: object = {}) =>
  base64({ endpoint: `https://push.example/${crypto.randomUUID()}`, expirationTime: null, keys, ...subscription });

describe('POST devices/<platform>', () => {
  it('registers an Apple device as the iOS SDK does', async () => {
    const { status, json } = await api.call('POST', 'devices/apns', {
      headers: { 'X-Pusher-Library': 'push-notifications-swift 4.0.0' },
      body: { token: 'a1b2c3', bundleIdentifier: 'com.example.app', metadata: { sdkVersion: '4.0.0' } },
    });
    expect(status).toBe(200);
    expect(json).toEqual({ id: expect.stringMatching(`^apns-${uuid}$`), initialInterestSet: [] });
  });

  it('registers an Android device as the Android SDK does, without a bundle identifier', async () => {
    const { status, json } = await api.call('POST', 'devices/fcm', {
      body: {
        token: 'registration:token',
        knownPreviousClientIds: [],
        metadata: { sdkVersion: '1.9.2', androidVersion: '14' },
      },
    });
    expect(status).toBe(200);
    expect(json).toEqual({ id: expect.stringMatching(`^fcm-${uuid}$`), initialInterestSet: [] });
  });

  it('registers a browser as the web SDK does', async () => {
    const { status, json } = await api.call('POST', 'devices/web', {
      body: { token: webToken(), metadata: { sdkVersion: '2.1.0' } },
    });
    expect(status).toBe(200);
    expect(json).toEqual({ id: expect.stringMatching(`^web-${uuid}$`), initialInterestSet: [] });
  });

  it('answers a known token with its id and its interests', async () => {
    const path = await api.registered('known');
    await api.call('PUT', `${path}/interests`, { body: { interests: ['b', 'a'] } });
    const { json } = await api.call('POST', 'devices/fcm', { body: { token: 'known', metadata: { sdkVersion: '2' } } });
    expect(path).toBe(`devices/fcm/${json.id}`);
    expect(json.initialInterestSet.toSorted()).toEqual(['a', 'b']);
    expect((await api.call('GET', path)).json.metadata).toEqual({ sdkVersion: '2' });
  });

  it('gives a token a new id after its device was deleted', async () => {
    const first = await api.registered('again');
    await api.call('DELETE', first);
    expect(await api.registered('again')).not.toBe(first);
  });

  it('distinguishes the apps of one phone by their bundle identifiers', async () => {
    const register = async (bundleIdentifier: string) =>
      (await api.call('POST', 'devices/apns', { body: { token: 'abba', bundleIdentifier } })).json.id;
    expect(await register('com.a')).toBe(await register('com.a'));
    expect(await register('com.a')).not.toBe(await register('com.b'));
  });

  it('isolates the devices of instances', async () => {
    const path = await api.registered('everywhere');
    const other = await api.callAnywhere('POST', `/device_api/v1/instances/${otherInstance.id}/devices/fcm`, {
      body: { token: 'everywhere' },
    });
    expect(`devices/fcm/${other.json.id}`).not.toBe(path);
    const found = await api.callAnywhere('GET', `/device_api/v1/instances/${otherInstance.id}/${path}`);
    expect(found.status).toBe(404);
  });

  it.each([
    ['a number', 7],
    ['null', null],
    ['a list', ['x']],
    ['unknown fields', { spare: 'x', sdkVersion: 1 }],
  ])('does not refuse a device for its metadata: %s', async (_, metadata) => {
    const { status, json } = await api.call('POST', 'devices/fcm', { body: { token: crypto.randomUUID(), metadata } });
    expect(status).toBe(200);
    expect((await api.call('GET', `devices/fcm/${json.id}`)).json.metadata).toEqual({});
  });

  it.each([
    ['apns', {}, 'Missing APNs token.'],
    ['apns', { token: '', bundleIdentifier: 'x' }, 'Missing APNs token.'],
    ['apns', { token: 7, bundleIdentifier: 'x' }, 'Missing APNs token.'],
    ['apns', { token: 'a1' }, 'Missing App Bundle Identifier.'],
    ['apns', { token: 'a1', bundleIdentifier: '' }, 'Missing App Bundle Identifier.'],
    ['apns', { token: 'a1', bundleIdentifier: null }, 'Missing App Bundle Identifier.'],
    ['fcm', { bundleIdentifier: 'x' }, 'Missing FCM token.'],
    ['fcm', { token: null }, 'Missing FCM token.'],
    ['web', {}, 'Missing Web push token.'],
  ])('refuses %s %j: %s', async (platform, body, description) => {
    const { status, json } = await api.call('POST', `devices/${platform}`, { body });
    expect([status, json]).toEqual([400, { error: 'Bad request', description }]);
  });

  it.each([
    ['apns', 'Unauthorized'],
    // The Android SDK asks Google for a new token when it reads this word.
    ['fcm', 'InvalidToken'],
  ])('answers 401 to an impossible %s token', async (platform, error) => {
    for (const token of ['x'.repeat(8193), 'a\0b']) {
      const answer = await api.call('POST', `devices/${platform}`, { body: { token, bundleIdentifier: 'x' } });
      const description = 'The device token provided could not be validated against any known credentials';
      expect([answer.status, answer.json]).toEqual([401, { error, description }]);
    }
  });

  it.each([
    ['in another alphabet', 'g'.repeat(64)],
    ['longer than those of Apple', 'a'.repeat(202)],
    ['that leads elsewhere', '../../other'],
    ['that no header could carry', 'é'.repeat(8192)],
  ])('answers 401 to an Apple token %s, of the device and of its Live Activities', async (_, wrong) => {
    for (const tokens of [{ token: wrong }, { token: 'a1', startToken: wrong }]) {
      const answer = await api.call('POST', 'devices/apns', { body: { ...tokens, bundleIdentifier: 'com.example' } });
      const description = 'The device token provided could not be validated against any known credentials';
      expect([answer.status, answer.json]).toEqual([401, { error: 'Unauthorized', description }]);
    }
  });

  it('accepts the longest Apple tokens, in either case', async () => {
    const body = { token: 'aB'.repeat(100), startToken: '0F'.repeat(100), bundleIdentifier: 'com.example' };
    expect((await api.call('POST', 'devices/apns', { body })).status).toBe(200);
  });

  it('warns once that nothing keeps start tokens, in a process without PublishModule', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const alone = await startDeviceApi();
    for (const token of ['aa', 'bb']) {
      const body = { token, startToken: '0f', bundleIdentifier: 'com.example' };
      expect((await alone.call('POST', 'devices/apns', { body })).status).toBe(200);
    }
    await alone.close();
    const lines = warn.mock.calls.filter(([line]) => String(line).includes('Start tokens'));
    warn.mockRestore();
    expect(lines).toEqual([[expect.stringContaining('add PublishModule.forRoot()')]]);
  });

  describe('if the instance has only credentials of another gateway', () => {
    const apns = { key: applePem(), keyId: 'K', teamId: 'T' };
    const fcm = { serviceAccount: { project_id: 'p', client_email: 'e', private_key: googlePem() } };
    const register = async (platform: string, options: Parameters<typeof startDeviceApi>[0]) => {
      const limited = await startDeviceApi(options);
      const body = { token: platform === 'web' ? webToken() : 'a1', bundleIdentifier: 'x' };
      const { status, json } = await limited.call('POST', `devices/${platform}`, { body });
      await limited.close();
      return { status, json };
    };

    it.each([
      ['apns', 'APNs', { fcm }],
      ['fcm', 'FCM', { apns }],
    ])('answers 401 to a device of %s, which could never get a push', async (platform, name, credentials) => {
      expect(await register(platform, { instances: [{ ...instance, ...credentials }] })).toEqual({
        status: 401,
        json: { error: 'Unauthorized', description: `No ${name} credentials are configured for this instance` },
      });
    });

    it('accepts the devices that it can reach, and browsers', async () => {
      const instances = [{ ...instance, apns }];
      for (const platform of ['apns', 'web']) expect((await register(platform, { instances })).status).toBe(200);
    });

    it("accepts all devices if the host's gateways need no credentials", async () => {
      const { status } = await register('fcm', { instances: [{ ...instance, apns }], requireCredentials: false });
      expect(status).toBe(200);
    });
  });

  it.each([
    ['text that is no base64 of JSON', '???'],
    ['JSON that is no object', base64('x')],
    ['no keys', base64({ endpoint: 'https://push.example/' })],
    ['no endpoint', webToken({ endpoint: undefined })],
    ['an endpoint that is no URL', webToken({ endpoint: 'push.example' })],
    ['an endpoint without TLS', webToken({ endpoint: 'http://push.example/' })],
    ['an endpoint of another kind', webToken({ endpoint: 'file:///etc/passwd' })],
    ['a key that is too short', webToken({ keys: { ...keys, p256dh: p256dh.slice(0, 80) } })],
    ['a key off the curve', webToken({ keys: { ...keys, p256dh: Buffer.alloc(65, 4).toString('base64url') } })],
    ['a secret of 15 bytes', webToken({ keys: { ...keys, auth: Buffer.alloc(15).toString('base64url') } })],
    ['a secret that is a number', webToken({ keys: { ...keys, auth: 16 } })],
  ])('refuses a web token with %s', async (_, token) => {
    const { status, json } = await api.call('POST', 'devices/web', { body: { token } });
    expect([status, json.error]).toEqual([400, 'Bad request']);
    expect(json.description).toMatch(/^Invalid web push subscription: /);
  });

  it.each([
    ['malformed JSON', '{"token":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a text', '"x"'],
    ['nothing', ''],
    ['thirty thousand brackets', '['.repeat(30_000)],
  ])('refuses a body that is %s', async (_, body) => {
    const headers = { 'content-type': 'application/json' };
    const { status, json } = await api.call('POST', 'devices/fcm', { body, headers });
    expect([status, json]).toEqual([
      400,
      { error: 'Bad request', description: 'Failed to read body as a JSON object.' },
    ]);
  });
});

describe('GET devices/<platform>/<id>', () => {
  it("answers the device's metadata, and no user before one is set", async () => {
    const metadata = { sdkVersion: '4.0.0', iosVersion: '17.1', macosVersion: '14.0' };
    const { json } = await api.call('POST', 'devices/apns', {
      body: { token: 'a1b2c3d4', bundleIdentifier: 'com.example', metadata },
    });
    const found = await api.call('GET', `devices/apns/${json.id}`);
    expect([found.status, found.json]).toEqual([200, { id: json.id, userId: '', metadata }]);
  });

  it.each(['fcm-none', 'x', 'apns-none', 'x'.repeat(300), '%00'])('does not find %s', async (id) => {
    const { status, json } = await api.call('GET', `devices/fcm/${id}`);
    expect([status, json]).toEqual([404, { error: 'Not found', description: 'Device not found' }]);
  });

  it('does not find a device under another platform', async () => {
    const path = await api.registered();
    expect((await api.call('GET', path.replace('/fcm/', '/apns/'))).status).toBe(404);
  });
});

describe('DELETE devices/<platform>/<id>', () => {
  it('removes the device, and answers the same for an unknown one, because SDKs would retry forever', async () => {
    const path = await api.registered();
    for (const _ of ['first', 'again']) {
      const { status, text } = await api.call('DELETE', path);
      expect([status, text]).toEqual([200, '']);
    }
    expect((await api.call('GET', path)).status).toBe(404);
    expect((await api.call('DELETE', `devices/fcm/fcm-never`)).status).toBe(200);
    expect((await api.call('DELETE', `devices/fcm/${'x'.repeat(300)}`)).status).toBe(200);
  });
});

it('finds an instance with any case of its id', async () => {
  const path = await api.registered();
  const shouted = await api.callAnywhere('GET', `/device_api/v1/instances/${instance.id.toUpperCase()}/${path}`);
  expect(shouted.status).toBe(200);
});
