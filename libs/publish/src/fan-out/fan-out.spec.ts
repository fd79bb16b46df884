import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FanOutWorld, hi, instance } from '../../../../test/support/fan-out-world.js';
import { SendLater } from '../delivery/push.gateway.js';
import { publishOf } from '../publish.js';
import type { PublishOptions } from '../publish.options.js';

let given: FanOutWorld;
beforeEach(() => {
  given = new FanOutWorld();
});
afterEach(() => given.close());

describe('a fan-out', () => {
  it('sends to each device of the audience once, however many interests match', async () => {
    const ids = await given.register(25);
    for (const id of ids) await given.devices.addInterest(instance.id, 'fcm', id, 'sport');
    await given.register(5, 'fcm', 'other');
    const id = await given.publish(hi, ['news', 'sport']);
    given.startWorker({ pageSize: 10 });
    expect(await given.finished(id)).toEqual({
      fcm: { audience: 25, sent: 25, failed: {}, retrying: 0, removedDevices: 0, delivered: 0, opened: 0 },
    });
    expect(given.gateways.fcm.sent.toSorted()).toEqual(ids);
  });

  it('sends to each platform that the publish has a payload for, and to no other', async () => {
    await given.register(3, 'apns');
    await given.register(4, 'fcm');
    await given.register(5, 'web');
    const id = await given.publish({ apns: {}, web: { data: {} } });
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({ apns: { sent: 3 }, web: { sent: 5 } });
    expect(given.gateways.fcm.sent).toEqual([]);
    expect(given.gateways.web.prepared).toEqual([
      { instance, publishId: id, publishedAt: given.now, payload: { data: {} } },
    ]);
  });

  it('finishes with the last of its platforms, without waiting for the next poll', async () => {
    await given.register(1);
    await given.register(1, 'web');
    given.gateways.fcm.answer = () => new Promise((resolve) => setTimeout(() => resolve({ outcome: 'delivered' }), 20));
    const ids = [await given.publish({ ...hi, apns: {}, web: {} }), await given.publish({ ...hi, apns: {}, web: {} })];
    given.startWorker({ concurrentPublishes: 1, pollMs: 60_000 });
    for (const id of ids) expect(await given.finished(id)).toMatchObject({ fcm: { sent: 1 }, web: { sent: 1 } });
  });

  it('finishes a publish with an empty audience without asking a gateway', async () => {
    given.gateways.fcm.fault = 'no credentials';
    const id = await given.publish();
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({ fcm: { audience: 0, sent: 0 } });
    expect(given.gateways.fcm.prepared).toEqual([]);
  });

  it('limits the concurrent sends of a platform, also over several publishes', async () => {
    await given.register(40);
    const ids = [await given.publish(), await given.publish()];
    given.startWorker({ concurrency: { fcm: 7 } });
    for (const id of ids) await given.finished(id);
    expect(given.gateways.fcm.peak).toBe(7);
    expect(given.gateways.fcm.sent).toHaveLength(80);
  });

  it('never holds more than two pages of given.devices, and saves after each page', async () => {
    await given.register(100);
    const read = vi.spyOn(given.devices, 'inAudience');
    const save = vi.spyOn(given.outbox, 'save');
    const id = await given.publish();
    given.startWorker({ pageSize: 10 });
    await given.finished(id);
    expect(read.mock.calls.every(([, , , limit]) => limit === 9)).toBe(true);
    expect(save.mock.calls.length).toBeGreaterThanOrEqual(12);
  });

  it('counts rejected sends by reason, and keeps the devices', async () => {
    const [first] = await given.register(3);
    given.gateways.fcm.answer = ({ id }) =>
      id === first ? { outcome: 'rejected', reason: 'SENDER_ID_MISMATCH' } : { outcome: 'delivered' };
    const id = await given.publish();
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({
      fcm: { sent: 2, failed: { SENDER_ID_MISMATCH: 1 }, removedDevices: 0 },
    });
    expect(await given.devices.find(instance.id, 'fcm', first ?? '')).toBeDefined();
  });

  it.each<[string, PublishOptions, string[]]>([
    ['sent, failed and retrying', {}, ['failed', 'retrying', 'sent']],
    ['none that is not to be kept', { outcomeRetentionMs: 0 }, []],
  ])('keeps the outcomes of its devices: %s', async (_, options, kept) => {
    const [bad, slow] = await given.register(3);
    given.gateways.fcm.answer = ({ id }) => {
      if (id === slow) throw new SendLater('UNAVAILABLE');
      return id === bad ? { outcome: 'rejected', reason: 'x' } : { outcome: 'delivered' };
    };
    const id = await given.publish();
    given.startWorker(options);
    await expect.poll(() => given.status(id)).toMatchObject({ platforms: { fcm: { retrying: 1 } } });
    const { devices } = await given.outbox.outcomes(id, { after: '', limit: 10 });
    expect(devices.map(({ outcome }) => outcome).toSorted()).toEqual(kept);
  });

  it('counts an undeliverable payload as failed for every device, and sends nothing', async () => {
    await given.register(15);
    given.gateways.fcm.rejected = 'PayloadTooLarge';
    const id = await given.publish();
    given.startWorker({ pageSize: 10 });
    expect(await given.finished(id)).toMatchObject({ fcm: { audience: 15, sent: 0, failed: { PayloadTooLarge: 15 } } });
    expect(given.gateways.fcm.sent).toEqual([]);
  });

  it('fails every platform of a removed instance', async () => {
    const orphan = publishOf('00000000-0000-4000-8000-00000000000f', { interests: ['news'], ...hi }, given.now);
    await given.outbox.add(orphan);
    given.startWorker();
    await expect
      .poll(() => given.outbox.find(orphan.instanceId, orphan.id))
      .toMatchObject({ partitions: [{ fault: 'The instance is no longer configured', paged: true }] });
  });
});

describe('a partition', () => {
  it('retries in time even if another partition has many pages left', async () => {
    await given.register(1);
    await given.register(3000, 'web');
    let tries = 0;
    given.gateways.fcm.answer = () => {
      if ((tries += 1) === 1) throw new SendLater('UNAVAILABLE');
      return { outcome: 'delivered' };
    };
    let whenRetried = 0;
    given.gateways.web.answer = async () => {
      await new Promise((done) => setImmediate(done));
      given.now += 5;
      if (tries === 2) whenRetried ||= given.gateways.web.sent.length;
      return { outcome: 'delivered' };
    };
    const id = await given.publish({ ...hi, web: {} });
    given.startWorker({ pageSize: 20, concurrency: { web: 1 }, leaseMs: 1_000_000 });
    expect(await given.finished(id)).toMatchObject({ fcm: { sent: 1 }, web: { sent: 3000 } });
    expect(whenRetried).toBeGreaterThan(0);
    expect(whenRetried).toBeLessThan(3000);
  });
});
