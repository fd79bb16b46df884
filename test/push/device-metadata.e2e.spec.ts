import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDeviceApi } from '../support/push-app.js';

let api: Awaited<ReturnType<typeof startDeviceApi>>;
beforeAll(async () => {
  api = await startDeviceApi();
});
afterAll(() => api.close());

describe('PUT devices/<platform>/<id>/metadata', () => {
  it('replaces the metadata', async () => {
    const path = await api.registered();
    await api.call('PUT', `${path}/metadata`, { body: { sdkVersion: '1', androidVersion: '13' } });
    const { status, text } = await api.call('PUT', `${path}/metadata`, { body: { sdkVersion: '2' } });
    expect([status, text]).toEqual([200, '']);
    expect((await api.call('GET', path)).json.metadata).toEqual({ sdkVersion: '2' });
  });

  it.each([
    ['apns', { sdkVersion: '4', iosVersion: '17', macosVersion: '14' }],
    ['fcm', { sdkVersion: '1', androidVersion: '14' }],
  ])('keeps the versions of %s', async (platform, metadata) => {
    const { json } = await api.call('POST', `devices/${platform}`, {
      body: { token: 'a1b2', bundleIdentifier: 'com.example' },
    });
    await api.call('PUT', `devices/${platform}/${json.id}/metadata`, { body: { ...metadata, spare: 'x', other: 1 } });
    expect((await api.call('GET', `devices/${platform}/${json.id}`)).json.metadata).toEqual(metadata);
  });

  it('does not find an unknown device', async () => {
    const { status, json } = await api.call('PUT', 'devices/fcm/fcm-unknown/metadata', { body: {} });
    expect([status, json]).toEqual([404, { error: 'Not found', description: 'Device not found' }]);
  });

  it.each(['', '{', '[]', 'null', '7'])('refuses the body %j', async (body) => {
    const path = await api.registered();
    const headers = { 'content-type': 'application/json' };
    const { status, json } = await api.call('PUT', `${path}/metadata`, { body, headers });
    expect([status, json]).toEqual([
      400,
      { error: 'Bad request', description: 'Failed to read body as a JSON object.' },
    ]);
  });
});
