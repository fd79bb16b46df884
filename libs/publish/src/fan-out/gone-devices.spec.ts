import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FanOutWorld, hi, instance } from '../../../../test/support/fan-out-world.js';
import type { Outcome } from '../delivery/push.gateway.js';
import type { PublishOptions } from '../publish.options.js';
import { publishOf } from '../publish.js';

const dayMs = 86_400_000;

let given: FanOutWorld;
beforeEach(() => {
  given = new FanOutWorld();
});
afterEach(() => {
  vi.restoreAllMocks();
  return given.close();
});

const gone = (): Outcome => ({ outcome: 'unregistered' });
const deliver = (): Outcome => ({ outcome: 'delivered' });

const find = (id: string) => given.devices.find(instance.id, 'fcm', id);
const areThere = async (ids: readonly string[]) => (await Promise.all(ids.map(find))).filter(Boolean).length;
const areMarked = async (ids: readonly string[]) =>
  (await Promise.all(ids.map(find))).filter((device) => device?.goneSince !== undefined).length;
const published = async (interest: string) => (await given.finished(await given.publish(hi, [interest]))).fcm;

describe('gone devices', () => {
  it('are removed unless they have registered again since', async () => {
    const [first, second, third] = await given.register(3);
    given.gateways.fcm.answer = ({ id, registeredAt }) => {
      if (id === first) return { outcome: 'unregistered' };
      if (id === second) return { outcome: 'unregistered', before: registeredAt - 1 };
      return { outcome: 'delivered' };
    };
    const id = await given.publish();
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({
      fcm: { sent: 1, failed: { unregistered: 2 }, removedDevices: 1 },
    });
    expect(await given.devices.find(instance.id, 'fcm', first ?? '')).toBeUndefined();
    expect(await given.devices.find(instance.id, 'fcm', second ?? '')).toBeDefined();
    expect(await given.devices.find(instance.id, 'fcm', third ?? '')).toBeDefined();
  });

  it('are kept if they got a new token during the send', async () => {
    const [id = ''] = await given.register(1);
    given.gateways.fcm.answer = async () => {
      await given.devices.setToken(instance.id, 'fcm', id, 'new token', given.now + 1);
      return gone();
    };
    const publishId = await given.publish();
    given.startWorker();
    expect(await given.finished(publishId)).toMatchObject({ fcm: { failed: { unregistered: 1 }, removedDevices: 0 } });
    expect(await given.devices.find(instance.id, 'fcm', id)).toMatchObject({ token: 'new token' });
    expect(await areMarked([id])).toBe(0);
  });

  it('are removed if half of the devices are gone, or most of a few', async () => {
    await given.register(120);
    const [alive] = await given.register(10, 'web');
    let count = 0;
    given.gateways.fcm.answer = () => ((count += 1) % 2 === 0 ? { outcome: 'unregistered' } : { outcome: 'delivered' });
    given.gateways.web.answer = ({ id }) => (id === alive ? { outcome: 'delivered' } : gone());
    const id = await given.publish({ ...hi, web: {} });
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({ fcm: { removedDevices: 60 }, web: { removedDevices: 9 } });
    const metrics = await given.metrics.registry.metrics();
    expect(metrics).toContain('rookery_publish_removed_devices_total{platform="fcm"} 60');
  });

  it('of all pages are counted', async () => {
    await given.register(100);
    let count = 0;
    given.gateways.fcm.answer = () => ((count += 1) % 4 === 0 ? gone() : deliver());
    // Without doubts: ids are random, so a range of the audience may end with a page of one device.
    given.startWorker({ pageSize: 20, concurrency: { fcm: 1 }, deletionGuardShare: 1 });
    expect(await published('news')).toMatchObject({ sent: 75, removedDevices: 25 });
  });

  it('alone in a page stay: no other device there was reached', async () => {
    const ids = await given.register(19);
    let count = 0;
    given.gateways.fcm.answer = () => ((count += 1) % 2 === 1 ? gone() : deliver());
    // A tenth of a page is room for slow sends.
    given.startWorker({ pageSize: 20, concurrency: { fcm: 1 } });
    expect(await published('news')).toMatchObject({ sent: 9, failed: { unregistered: 10 }, removedDevices: 9 });
    expect(await areMarked(ids)).toBe(1);
  });

  it('are not changed by a worker that lost its lease', async () => {
    const ids = await given.register(5);
    const save = vi.spyOn(given.outbox, 'save');
    given.gateways.fcm.answer = () => {
      save.mockResolvedValueOnce('lost');
      return gone();
    };
    await given.publish();
    const worker = given.startWorker({ concurrency: { fcm: 1 } });
    await expect.poll(() => given.gateways.fcm.sent.length).toBeGreaterThanOrEqual(5);
    await worker.beforeApplicationShutdown();
    expect(await areThere(ids)).toBe(5);
    expect(await areMarked(ids)).toBe(0);
  });
});

it('without gone devices nothing is written or logged', async () => {
  const warn = vi.spyOn(Logger.prototype, 'warn');
  const writes = (['markGone', 'unmarkGone', 'removeUnregistered'] as const).map((name) =>
    vi.spyOn(given.devices, name),
  );
  await given.register(30);
  given.startWorker();
  await published('news');
  for (const call of [warn, ...writes]) expect(call).not.toHaveBeenCalled();
});

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
    expect(await given.finished(id)).toMatchObject({ fcm: { failed: { unregistered: count }, removedDevices: 0 } });
    expect(await areThere(ids)).toBe(count);
    expect(await areMarked(ids)).toBe(count);
    const mark = vi.spyOn(given.devices, 'markGone');
    expect(await published('news')).toMatchObject({ removedDevices: 0 });
    expect(mark).not.toHaveBeenCalled();
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
  });

  it('devices of other platforms and instances are removed as usual', async () => {
    await given.register(50);
    const [alive] = await given.register(10, 'web');
    given.gateways.web.answer = ({ id }) => (id === alive ? deliver() : gone());
    given.startWorker();
    expect(await given.finished(await given.publish({ ...hi, web: {} }))).toMatchObject({
      fcm: { removedDevices: 0 },
      web: { removedDevices: 9 },
    });
  });

  it('time alone makes no removal plausible, also for the next process', async () => {
    const ids = await given.register(50);
    await given.register(5, 'fcm', 'few');
    const first = given.startWorker();
    await published('news');
    await first.beforeApplicationShutdown();
    given.now += 30 * dayMs;
    given.startWorker();
    expect(await published('few')).toMatchObject({ removedDevices: 0 });
    expect(await published('news')).toMatchObject({ removedDevices: 0 });
    expect(await areThere(ids)).toBe(50);
  });

  it('none is removed, even if all were reached a minute before', async () => {
    given.gateways.fcm.answer = deliver;
    const ids = await given.register(300);
    given.startWorker();
    for (const _ of [1, 2, 3, 4]) await published('news');
    given.gateways.fcm.answer = gone;
    expect(await published('news')).toMatchObject({ failed: { unregistered: 300 }, removedDevices: 0 });
    expect(await areThere(ids)).toBe(300);
  });

  it('a warning says so once, and the metrics count the devices', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn');
    await given.register(50);
    given.startWorker({ pageSize: 10 });
    await given.finished(await given.publish());
    const said = warn.mock.calls.filter(([text]) => String(text).includes('gone'));
    expect(said).toHaveLength(1);
    expect(said[0]?.[0]).toMatch(/^Instance 0{8}-.* answers about fcm devices say that they are gone\. .*credentials/);
    expect(await given.metrics.registry.metrics()).toContain('rookery_publish_kept_devices_total{platform="fcm"} 50');
  });
});

describe('a marked device', () => {
  const someMarked = async () => {
    const ids = await given.register(100);
    given.gateways.fcm.answer = gone;
    given.startWorker();
    await published('news');
    expect(await areMarked(ids)).toBe(100);
    given.gateways.fcm.answer = deliver;
    return ids;
  };
  /** Delivers to so many devices that the gateway is believed again. */
  const reachOthers = async () => {
    await given.register(1000, 'fcm', 'others');
    await published('others');
  };

  it('is reached by the next publish, which ends its mark', async () => {
    const ids = await someMarked();
    expect(await published('news')).toMatchObject({ sent: 100 });
    expect(await areMarked(ids)).toBe(0);
  });

  it('loses its mark when it registers again', async () => {
    const ids = await someMarked();
    await given.devices.setToken(instance.id, 'fcm', ids[7] ?? '', 'new token', given.now + 5);
    expect(await areMarked(ids)).toBe(99);
  });

  it('is removed if it is still gone after a week, and others are reached', async () => {
    const ids = await someMarked();
    await reachOthers();
    given.gateways.fcm.answer = gone;
    given.now += 7 * dayMs - 1;
    expect(await published('news')).toMatchObject({ removedDevices: 0 });
    await published('others');
    given.gateways.fcm.answer = deliver;
    for (const _ of [1, 2]) await published('others');
    given.gateways.fcm.answer = gone;
    given.now += 1;
    expect(await published('news')).toMatchObject({ removedDevices: 100 });
    expect(await areThere(ids)).toBe(0);
  });

  it('stays if it was not tried again, however long ago it was marked', async () => {
    const ids = await someMarked();
    given.now += 30 * dayMs;
    await reachOthers();
    expect(await areThere(ids)).toBe(100);
  });
});

describe('a setting', () => {
  it('deletionGuardShare: 1 removes every gone device at once', async () => {
    await given.register(50);
    given.gateways.fcm.answer = gone;
    given.startWorker({ deletionGuardShare: 1 });
    expect(await published('news')).toMatchObject({ removedDevices: 50 });
  });

  it('deletionGuardDevices says how many are too few for a share', async () => {
    const [alive] = await given.register(10);
    given.gateways.fcm.answer = ({ id }) => (id === alive ? deliver() : gone());
    given.startWorker({ deletionGuardDevices: 9 });
    expect(await published('news')).toMatchObject({ sent: 1, removedDevices: 0 });
  });

  it('removeGoneAfterMs says how long they are tried again', async () => {
    const ids = await given.register(20);
    await given.register(500, 'fcm', 'others');
    given.startWorker({ removeGoneAfterMs: 1000 });
    given.gateways.fcm.answer = gone;
    await published('news');
    given.gateways.fcm.answer = deliver;
    await published('others');
    given.now += 1000;
    given.gateways.fcm.answer = gone;
    expect(await published('news')).toMatchObject({ removedDevices: 20 });
    expect(await areThere(ids)).toBe(0);
  });
});
