import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FanOutWorld, hi, instance } from '../../../../test/support/fan-out-world.js';
import type { Outcome } from '../delivery/push.gateway.js';
import type { PublishOptions } from '../publish.options.js';
import { publishOf } from '../publish.js';

let given: FanOutWorld;
beforeEach(() => {
  given = new FanOutWorld();
});
afterEach(() => given.close());

const gone = (): Outcome => ({ outcome: 'unregistered' });
const deliver = (): Outcome => ({ outcome: 'delivered' });
const fcm = { instanceId: instance.id, platform: 'fcm' } as const;

const areThere = async (ids: readonly string[]) =>
  (await Promise.all(ids.map((id) => given.devices.find(instance.id, 'fcm', id)))).filter(Boolean).length;
const published = async (interest: string) => (await given.finished(await given.publish(hi, [interest]))).fcm;

describe('if every device is reported gone', () => {
  beforeEach(() => {
    for (const gateway of Object.values(given.gateways)) gateway.answer = gone;
  });

  it.each<[number, PublishOptions]>([
    [1, {}],
    [99, { pageSize: 10 }],
    [800, { pageSize: 250 }],
  ])('none of %i devices is removed, for any page size', async (count, options) => {
    const ids = await given.register(count);
    await given.register(3, 'web');
    const id = await given.publish({ ...hi, web: {}, apns: {} });
    given.startWorker(options);
    expect(await given.finished(id)).toMatchObject({
      fcm: { failed: { unregistered: count }, removedDevices: 0, deletionsHeld: count },
    });
    expect(await areThere(ids)).toBe(count);
  });

  it('publishes to single users remove no device', async () => {
    const ids = await given.register(60);
    given.startWorker();
    for (const [index, id] of ids.entries()) {
      await given.devices.setUser(instance.id, 'fcm', id, `user ${index}`);
      const publish = publishOf(instance.id, { users: [`user ${index}`], ...hi }, given.now);
      await given.outbox.add(publish);
      await given.finished(publish.id);
      given.now += 60_000;
    }
    expect(await areThere(ids)).toBe(60);
    expect(await given.deletions.totals()).toEqual([{ ...fcm, held: 60 }]);
  });

  it('devices of other platforms and instances are removed as usual', async () => {
    await given.register(50);
    const [alive] = await given.register(10, 'web');
    given.gateways.web.answer = ({ id }) => (id === alive ? deliver() : gone());
    given.startWorker();
    expect(await given.finished(await given.publish({ ...hi, web: {} }))).toMatchObject({
      fcm: { removedDevices: 0, deletionsHeld: 50 },
      web: { removedDevices: 9 },
    });
  });

  it('time alone makes no removal plausible, also for the next process', async () => {
    const ids = await given.register(50);
    await given.register(5, 'fcm', 'few');
    const first = given.startWorker();
    await published('news');
    await first.beforeApplicationShutdown();
    given.now += 30 * 86_400_000;
    given.startWorker();
    expect(await published('few')).toMatchObject({ removedDevices: 0, deletionsHeld: 5 });
    expect(await areThere(ids)).toBe(50);
  });

  it('the hold is logged once, counted in the metrics, and lists each device', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn');
    const ids = await given.register(50);
    given.startWorker({ pageSize: 10 });
    const id = await given.publish();
    await given.finished(id);
    const said = warn.mock.calls.filter(([text]) => String(text).includes('gone'));
    expect(said).toHaveLength(1);
    expect(said[0]?.[0]).toMatch(/rookery deletions --instance 0{8}-.* --platform fcm --release/);
    expect(await given.metrics.registry.metrics()).toContain('rookery_publish_deletions_held{platform="fcm"} 50');
    const held = await given.deletions.list(fcm, 1000);
    expect(held.map((device) => device.id).sort()).toEqual(ids);
    expect(new Set(held.map(({ publishId }) => publishId))).toEqual(new Set([id]));
    warn.mockRestore();
  });
});

describe('a held device', () => {
  const someGone = async (count = 100) => {
    const ids = await given.register(count);
    given.gateways.fcm.answer = gone;
    const worker = given.startWorker();
    const id = await given.publish();
    await given.finished(id);
    given.gateways.fcm.answer = deliver;
    return { ids, id, worker };
  };

  it('is removed once other answers make the share plausible, and its publish counts it', async () => {
    const { ids, id } = await someGone();
    await given.register(99, 'fcm', 'others');
    await published('others');
    expect(await areThere(ids)).toBe(100);
    given.now += 1000;
    await published('others');
    expect(await areThere(ids)).toBe(0);
    expect((await given.status(id)).platforms.fcm).toMatchObject({ removedDevices: 100 });
    expect((await given.status(id)).platforms.fcm).not.toHaveProperty('deletionsHeld');
    expect(await given.metrics.registry.metrics()).not.toContain('deletions_held{platform="fcm"} 100');
  });

  it('stays for good if one of the held devices accepts a notification', async () => {
    const { ids, id } = await someGone();
    await given.devices.addInterest(instance.id, 'fcm', ids[7] ?? '', 'mended');
    await published('mended');
    expect(await given.deletions.totals()).toEqual([]);
    await given.register(500, 'fcm', 'others');
    await published('others');
    expect(await areThere(ids)).toBe(100);
    expect((await given.status(id)).platforms.fcm).toMatchObject({ removedDevices: 0 });
  });

  it('proves nothing if it registered again before it accepted a notification', async () => {
    const { ids } = await someGone();
    const back = ids[7] ?? '';
    await given.devices.addInterest(instance.id, 'fcm', back, 'back');
    await given.devices.setToken(instance.id, 'fcm', back, 'new token', given.now + 5);
    await published('back');
    expect(await given.deletions.totals()).toEqual([{ ...fcm, held: 100 }]);
    expect(await given.deletions.release(fcm)).toBe(99);
    expect(await areThere(ids)).toBe(1);
  });

  it('is removed when an operator releases it, and counting restarts', async () => {
    const { ids, id } = await someGone(250);
    expect(await given.deletions.release(fcm)).toBe(250);
    expect(await areThere(ids)).toBe(0);
    expect(await given.deletions.totals()).toEqual([]);
    expect((await given.status(id)).platforms.fcm).toMatchObject({ removedDevices: 250 });
    const [alive] = await given.register(6, 'fcm', 'few');
    given.gateways.fcm.answer = ({ id: one }) => (one === alive ? deliver() : gone());
    expect(await published('few')).toMatchObject({ removedDevices: 5 });
  });

  it('is not changed by a worker that lost its lease', async () => {
    const ids = await given.register(5);
    const save = vi.spyOn(given.outbox, 'save');
    given.gateways.fcm.answer = () => {
      save.mockResolvedValueOnce('lost');
      return gone();
    };
    await given.publish();
    const worker = given.startWorker({ concurrency: { fcm: 1 } });
    await vi.waitFor(() => expect(given.gateways.fcm.sent.length).toBeGreaterThanOrEqual(5));
    await worker.beforeApplicationShutdown();
    expect(await areThere(ids)).toBe(5);
    expect(await given.deletions.totals()).toEqual([]);
  });
});

describe('a setting of the guard', () => {
  it('deletionGuardShare: 1 removes every gone device', async () => {
    await given.register(50);
    given.gateways.fcm.answer = gone;
    given.startWorker({ deletionGuardShare: 1 });
    expect(await published('news')).toMatchObject({ removedDevices: 50 });
  });

  it('deletionWindowMs limits the counted answers', async () => {
    const [early] = await given.register(10, 'fcm', 'early');
    const [late] = await given.register(10, 'fcm', 'late');
    given.gateways.fcm.answer = ({ id }) => (id === early || id === late ? deliver() : gone());
    given.startWorker({ deletionWindowMs: 3_600_000 });
    expect(await published('early')).toMatchObject({ removedDevices: 9 });
    given.now += 3_600_000 + 3_600_000 / 24;
    expect(await published('late')).toMatchObject({ removedDevices: 9 });
  });
});
