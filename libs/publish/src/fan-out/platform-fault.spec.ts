import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FanOutWorld, hi, instance } from '../../../../test/support/fan-out-world.js';
import { type Outcome, PlatformFault } from '../delivery/push.gateway.js';

let given: FanOutWorld;
beforeEach(() => {
  given = new FanOutWorld();
});
afterEach(() => {
  vi.restoreAllMocks();
  return given.close();
});

const refuse = (): Outcome => {
  throw new PlatformFault('Wrong project');
};
const refuseFor = (bundleIdentifier: string): Outcome => {
  throw new PlatformFault(`Wrong key for ${bundleIdentifier}`, bundleIdentifier);
};
const deliver = (): Outcome => ({ outcome: 'delivered' });

describe('a fault of the platform', () => {
  it.each([1, 4])('is not assumed after %i odd answers among many good ones, which are retried', async (odd) => {
    const error = vi.spyOn(Logger.prototype, 'error');
    await given.register(2000);
    let answers = 0;
    given.gateways.fcm.answer = () => ((answers += 1) > 900 && answers <= 900 + odd ? refuse() : deliver());
    const id = await given.publish();
    given.startWorker();
    await expect
      .poll(async () => (await given.status(id)).platforms)
      .toMatchObject({
        fcm: { sent: 2000 - odd, retrying: odd, failed: {} },
      });
    expect((await given.status(id)).platforms.fcm).not.toHaveProperty('fault');
    given.now += 1000;
    expect(await given.finished(id)).toMatchObject({ fcm: { audience: 2000, sent: 2000, failed: {} } });
    expect(given.gateways.fcm.sent).toHaveLength(2000 + odd);
    expect(error).not.toHaveBeenCalled();
  });

  it('stops the platform, removes no device, and leaves other platforms running', async () => {
    const ids = await given.register(30);
    await given.register(3, 'web');
    given.gateways.fcm.answer = refuse;
    const id = await given.publish({ ...hi, web: {} });
    given.startWorker({ pageSize: 40, concurrency: { fcm: 1 } });
    await expect
      .poll(async () => (await given.status(id)).platforms)
      .toMatchObject({
        fcm: { audience: 18, sent: 0, failed: {}, retrying: 18, removedDevices: 0, fault: 'Wrong project' },
        web: { sent: 3 },
      });
    expect(given.gateways.fcm.sent).toHaveLength(5);
    expect(await given.devices.find(instance.id, 'fcm', ids[0] ?? '')).toBeDefined();
  });

  it('tries a few devices, less and less often, until the gateway accepts them; then sends to all', async () => {
    await given.register(3000);
    given.gateways.fcm.answer = refuse;
    const id = await given.publish();
    given.startWorker({ longestRetryMs: 60_000 });
    const tenMinutesLater = given.now + 600_000;
    const timePassed = async () => {
      await given.laterStatus(id, 5000);
      return given.now;
    };
    await expect.poll(timePassed).toBeGreaterThan(tenMinutesLater);
    // The whole first page was in progress; each later probe asked for a few devices.
    expect(given.gateways.fcm.sent.length).toBeLessThan(500 + 30 * 10);
    expect((await given.status(id)).platforms).toMatchObject({ fcm: { sent: 0, failed: {}, fault: 'Wrong project' } });
    given.gateways.fcm.answer = deliver;
    await expect.poll(() => given.laterStatus(id)).toMatchObject({ state: 'finished' });
    const { fcm } = (await given.status(id)).platforms;
    expect(fcm).toMatchObject({ audience: 3000, sent: 3000, failed: {} });
    expect(fcm).not.toHaveProperty('fault');
  });

  it('is known to the next process too, which tries a few devices', async () => {
    await given.register(400);
    given.gateways.fcm.answer = refuse;
    const id = await given.publish();
    const first = given.startWorker({ concurrency: { fcm: 5 } });
    await expect.poll(async () => (await given.status(id)).platforms).toMatchObject({ fcm: { retrying: 400 } });
    await first.beforeApplicationShutdown();
    const before = given.gateways.fcm.sent.length;
    const release = vi.spyOn(given.outbox.jobs, 'retry');
    given.now += 1000;
    given.startWorker();
    await expect.poll(() => release).toHaveBeenCalled();
    expect(given.gateways.fcm.sent.length - before).toBeLessThan(10);
  });

  it('fails the stopped devices when the time to live ends', async () => {
    await given.register(30);
    given.gateways.fcm.ttlMs = 10_000;
    given.gateways.fcm.answer = refuse;
    const id = await given.publish();
    given.startWorker();
    await expect.poll(() => given.laterStatus(id)).toMatchObject({ state: 'finished' });
    expect((await given.status(id)).platforms).toMatchObject({
      fcm: { sent: 0, failed: { PlatformFault: 30 }, fault: 'Wrong project', removedDevices: 0 },
    });
  });

  it('is reported after a single tried device, once its time to live is over', async () => {
    await given.register(1);
    given.gateways.fcm.ttlMs = 2000;
    given.gateways.fcm.answer = refuse;
    const id = await given.publish();
    given.startWorker();
    await expect.poll(() => given.laterStatus(id)).toMatchObject({ state: 'finished' });
    expect((await given.status(id)).platforms).toMatchObject({
      fcm: { failed: { PlatformFault: 1 }, fault: 'Wrong project' },
    });
  });

  it('is reported for instances without credentials too, and fails at once', async () => {
    await given.register(2);
    given.gateways.fcm.fault = 'No FCM credentials';
    const id = await given.publish();
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({
      fcm: { fault: 'No FCM credentials', failed: { PlatformFault: 2 } },
    });
  });
});

describe('a fault of one app', () => {
  const [good, bad] = ['com.good', 'com.bad'];
  const alert = { apns: { aps: { alert: 'hi' } } };
  const register = async (bundleIdentifier: string, count: number) => {
    for (let index = 0; index < count; index += 1) {
      const token = `${bundleIdentifier} ${index}`;
      const registration = { platform: 'apns', token, bundleIdentifier, metadata: {} } as const;
      const { id } = await given.devices.register(instance.id, registration, given.now);
      await given.devices.addInterest(instance.id, 'apns', id, 'news');
    }
  };
  const refuseBad = ({ bundleIdentifier }: { readonly bundleIdentifier?: string }): Outcome =>
    bundleIdentifier === bad ? refuseFor(bad) : deliver();

  it('defers its devices alone, however many there are', async () => {
    await Promise.all([register(bad, 5000), register(good, 500)]);
    given.gateways.apns.answer = refuseBad;
    const id = await given.publish(alert);
    given.startWorker();
    await expect
      .poll(async () => (await given.status(id)).platforms.apns)
      .toMatchObject({ sent: 500, retrying: 5000, audience: 5500 });
    expect((await given.status(id)).platforms.apns).toMatchObject({ failed: {}, fault: 'Wrong key for com.bad' });
    // The first pages were in progress when the fault was confirmed; later pages sent a few each.
    expect(given.gateways.apns.sent.length).toBeLessThan(500 + 1000 + 100);
    given.gateways.apns.answer = deliver;
    given.now += 60_000;
    expect(await given.finished(id)).toMatchObject({ apns: { sent: 5500, failed: {} } });
    expect((await given.status(id)).platforms.apns).not.toHaveProperty('fault');
  });

  it('does not hold up the others once as many devices wait as may', async () => {
    await Promise.all([register(bad, 3000), register(good, 3000)]);
    given.gateways.apns.answer = refuseBad;
    const id = await given.publish(alert);
    given.startWorker({ waitingRetries: 1000 });
    await expect
      .poll(async () => (await given.status(id)).platforms.apns)
      .toMatchObject({ sent: 3000, audience: 6000 });
    const { failed, retrying } = (await given.status(id)).platforms.apns ?? {};
    expect((failed?.['PlatformFault'] ?? 0) + (retrying ?? 0)).toBe(3000);
    expect(retrying).toBeGreaterThan(999);
    expect(failed).toHaveProperty('PlatformFault');
  });

  it('is known to the next process too, which still reaches the other app', async () => {
    await Promise.all([register(bad, 400), register(good, 400)]);
    given.gateways.apns.answer = ({ bundleIdentifier }) =>
      bundleIdentifier === bad || given.gateways.apns.sent.length > 100 ? refuseFor(bundleIdentifier ?? '') : deliver();
    const id = await given.publish(alert);
    const first = given.startWorker({ concurrency: { apns: 5 } });
    await expect.poll(async () => (await given.status(id)).platforms.apns?.fault).toContain('Wrong key');
    await first.beforeApplicationShutdown();
    given.gateways.apns.answer = refuseBad;
    given.startWorker();
    await expect.poll(() => given.laterStatus(id)).toMatchObject({ platforms: { apns: { sent: 400 } } });
    expect((await given.status(id)).platforms.apns).toMatchObject({ retrying: 400, failed: {} });
  });
});
