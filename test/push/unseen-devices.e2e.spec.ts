import { afterEach, describe, expect, it } from 'vitest';
import { DeviceRepository, MemoryDeviceRepository, UnseenDevices } from 'rookery/internal/push-device';
import { startPublishApp } from '../support/publish-app.js';
import { instance, startDeviceApi } from '../support/push-app.js';
import { until } from '../support/until.js';

const dayMs = 86_400_000;

let app: Awaited<ReturnType<typeof startDeviceApi>>;
afterEach(() => app.close());

/** An Android device that was seen so many days ago. @returns its path */
async function deviceSeen(devices: DeviceRepository, daysAgo: number): Promise<string> {
  const at = Date.now() - daysAgo * dayMs;
  const registration = { platform: 'fcm', token: crypto.randomUUID(), metadata: {} } as const;
  const { id } = await devices.register(instance.id, registration, at);
  await devices.see(instance.id, 'fcm', id, at);
  return `devices/fcm/${id}`;
}

const status = async (path: string) => (await app.call('GET', path)).status;

describe('devices that expire', () => {
  it('are removed if they were not seen for that many days, and can register again', async () => {
    app = await startDeviceApi({ expireUnseenAfterDays: 30 });
    const devices = app.app.get(DeviceRepository);
    const [gone, late, recent] = [
      await deviceSeen(devices, 32),
      await deviceSeen(devices, 30),
      await deviceSeen(devices, 1),
    ];
    expect(await app.app.get(UnseenDevices).sweep()).toBe(1);
    expect(await Promise.all([gone, late, recent].map(status))).toEqual([404, 200, 200]);
    expect((await app.call('PUT', `${gone}/interests`, { body: { interests: ['a'] } })).status).toBe(404);
    expect(await status(await app.registered())).toBe(200);
  });

  it.each<[string, (path: string) => Promise<unknown>]>([
    ['changes its metadata', (path) => app.call('PUT', `${path}/metadata`, { body: { sdkVersion: '2' } })],
    ['replaces its interests', (path) => app.call('PUT', `${path}/interests`, { body: { interests: ['a'] } })],
    ['adds an interest', (path) => app.call('POST', `${path}/interests/a`)],
    ['removes an interest', (path) => app.call('DELETE', `${path}/interests/a`)],
    ['asks for its interests', (path) => app.call('GET', `${path}/interests`)],
    ['has a new token', (path) => app.call('PUT', `${path}/token`, { body: { token: crypto.randomUUID() } })],
  ])('stay if one %s', async (_, seen) => {
    app = await startDeviceApi({ expireUnseenAfterDays: 30 });
    const devices = app.app.get(DeviceRepository);
    const [gone, alive] = [await deviceSeen(devices, 100), await deviceSeen(devices, 100)];
    await seen(alive);
    expect(await app.app.get(UnseenDevices).sweep()).toBe(1);
    expect(await Promise.all([gone, alive].map(status))).toEqual([404, 200]);
  });

  it("stay if one reports a notification: a gateway's acceptance does not count", async () => {
    const whole = await startPublishApp({ devices: { expireUnseenAfterDays: 30 } });
    app = { ...app, close: whole.close };
    const devices = whole.app.get(DeviceRepository);
    const ids = [await deviceSeen(devices, 100), await deviceSeen(devices, 100)].map((path) => path.split('/')[2]!);
    for (const id of ids) await devices.addInterest(instance.id, 'fcm', id, 'news');
    const { publishId } = (await whole.publish({ interests: ['news'], fcm: {} })).json;
    await until(async () => (await whole.status(publishId)).platforms.fcm.sent === 2, 'both were sent to');
    await whole.report({ publishId, deviceId: ids[0], userId: null, event: 'Delivery', timestampSecs: 1 });
    expect(await whole.app.get(UnseenDevices).sweep()).toBe(1);
    expect(await devices.find(instance.id, 'fcm', ids[0]!)).toBeDefined();
    expect(await devices.find(instance.id, 'fcm', ids[1]!)).toBeUndefined();
  });

  it('are removed at boot', async () => {
    const devices = new MemoryDeviceRepository();
    const path = await deviceSeen(devices, 100);
    app = await startDeviceApi({ expireUnseenAfterDays: 30, deviceRepository: { useValue: devices } });
    await until(async () => (await status(path)) === 404, 'the device is gone');
  });

  it('stay forever without the setting, and nothing is stored about them', async () => {
    app = await startDeviceApi();
    const devices = app.app.get(DeviceRepository);
    const old = await deviceSeen(devices, 1000);
    devices.see = () => expect.unreachable('a sighting was written');
    await app.call('PUT', `${old}/interests`, { body: { interests: ['a'] } });
    expect(await app.app.get(UnseenDevices).sweep()).toBe(0);
    expect(await status(old)).toBe(200);
  });

  it('refuses a setting that is not a number of days', async () => {
    app = await startDeviceApi();
    await expect(startDeviceApi({ expireUnseenAfterDays: 0 })).rejects.toThrow('expireUnseenAfterDays');
  });
});
