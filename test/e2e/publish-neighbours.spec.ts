import { afterEach, describe, expect, it } from 'vitest';
import { ApnsGateway } from 'rookery/publish';
import { MemoryDeviceRepository, type Registration } from 'rookery/push-device';
import { instance } from '../support/push-app.js';
import { startPublishApp } from '../support/publish-app.js';
import { standInApns } from '../support/stand-ins/index.js';
import { authority } from '../support/tls/index.js';
import { until } from '../support/until.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

const hex = (number: number) => number.toString(16).padStart(64, '0');
const numbered = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** An app that sends to Apple's stand-in, with devices that are stored already, in the given order. */
async function appleWith(registrations: readonly Omit<Registration, 'platform' | 'metadata'>[]) {
  const apple = await standInApns();
  const devices = new MemoryDeviceRepository();
  const app = await startPublishApp({
    instances: [{ ...instance, apns: apple.credentials }],
    devices: { deviceRepository: devices },
    publish: { apnsGateway: new ApnsGateway({ ca: authority }), firstRetryMs: 20 },
  });
  open.push(apple, app);
  for (const each of registrations) {
    const { id } = await devices.register(instance.id, { ...each, platform: 'apns', metadata: {} }, Date.now());
    await devices.addInterest(instance.id, 'apns', id, 'news');
  }
  const published = async () => {
    const { json } = await app.publish({ interests: ['news'], apns: { aps: { alert: 'Hello' } } });
    await until(async () => (await app.status(json.publishId)).state === 'finished', 'it has finished', 15_000);
    return (await app.status(json.publishId)).platforms.apns;
  };
  return { apple, app, published };
}

describe('a device that Apple cannot reach', () => {
  it.each([
    ['of 8,192 characters', 'a'.repeat(8188)],
    ['that grows to 73,728 characters in a path', '漢'.repeat(8188)],
  ])('because of a token %s is settled at once, and does not delay the others', async (_, long) => {
    const bundleIdentifier = 'com.example.app';
    const hostile = numbered(400, (index) => ({ token: `${long}${index}`, bundleIdentifier }));
    const real = numbered(300, (index) => ({ token: hex(index), bundleIdentifier }));
    const { apple, published } = await appleWith([...hostile, ...real]);
    expect(await published()).toMatchObject({ audience: 700, sent: 300, failed: { 'HTTP 431': 400 }, retrying: 0 });
    expect(apple.count).toBe(300);
  });
});
