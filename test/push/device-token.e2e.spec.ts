import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDeviceApi } from '../support/push-app.js';

let api: Awaited<ReturnType<typeof startDeviceApi>>;
beforeAll(async () => {
  api = await startDeviceApi();
});
afterAll(() => api.close());

describe('PUT devices/fcm/<id>/token', () => {
  it('gives the device its new token', async () => {
    const path = await api.registered('old');
    const { status, text } = await api.call('PUT', `${path}/token`, { body: { token: 'new' } });
    expect([status, text]).toEqual([200, '']);
    expect(await api.registered('new')).toBe(path);
    expect(await api.registered('old')).not.toBe(path);
  });

  it('removes the token from the device that had it', async () => {
    const [holder, taker] = [await api.registered('held'), await api.registered('own')];
    await api.call('PUT', `${taker}/token`, { body: { token: 'held' } });
    expect((await api.call('GET', holder)).status).toBe(404);
    expect(await api.registered('held')).toBe(taker);
  });

  it('does not find an unknown device', async () => {
    const { status, json } = await api.call('PUT', 'devices/fcm/fcm-unknown/token', { body: { token: 'x' } });
    expect([status, json]).toEqual([404, { error: 'Not found', description: 'Device not found' }]);
  });

  it.each([{}, { token: '' }, { token: null }, { token: 7 }])('refuses %j: the token is missing', async (body) => {
    const { status, json } = await api.call('PUT', `${await api.registered()}/token`, { body });
    expect([status, json]).toEqual([400, { error: 'Bad request', description: 'Missing token field.' }]);
  });

  it.each(['apns', 'web'])('is not a route of %s, whose devices register again instead', async (platform) => {
    const { status, text } = await api.call('PUT', `devices/${platform}/${platform}-x/token`, { body: { token: 'x' } });
    expect([status, text]).toEqual([404, '404 page not found']);
  });
});
