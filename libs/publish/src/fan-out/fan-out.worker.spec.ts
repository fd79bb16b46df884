import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import type { WebhookDelivery } from 'rookery/common';
import {
  type DeviceAddress,
  type DeviceRepository,
  type Instance,
  MemoryDeviceRepository,
  type Platform,
} from 'rookery/push-device';
import {
  type Notification,
  type Outcome,
  PlatformFault,
  type PreparedNotification,
  PushGateway,
  SendLater,
} from '../delivery/push.gateway.js';
import { PushGateways } from '../delivery/push-gateways.js';
import { PublishMetrics } from '../metrics.js';
import { MemoryPublishOutbox } from '../outbox/memory-publish.outbox.js';
import { type Payloads, publishOf } from '../publish.js';
import { type PublishOptions, PublishSettings } from '../publish.options.js';
import { statusOf } from '../publish-status.js';
import { PublishWebhooks } from '../webhooks/publish.webhooks.js';
import { DeletionGuard } from './deletion-guard.js';
import { FanOutPorts } from './fan-out.ports.js';
import { FanOutWorker } from './fan-out.worker.js';
import { FaultLog } from './fault-log.js';

const instance: Instance = {
  id: '00000000-0000-4000-8000-000000000001',
  secretKey: 'secret',
  webhooks: [{ url: 'https://hooks.example/', secret: 's', events: ['v1.PublishToUsersAttempt'] }],
};
const instances = { find: (id: string) => (id === instance.id ? instance : undefined) };
const hi: Payloads = { fcm: { notification: { title: 'hi' } } };

/** A gateway that does what the test says; without a word it delivers. */
class ScriptedGateway extends PushGateway {
  readonly sent: string[] = [];
  readonly prepared: Notification[] = [];
  ttlMs = 3_600_000;
  /** How many sends are under way, now and at most. */
  active = 0;
  peak = 0;
  rejected?: string;
  fault?: string;
  answer: (device: DeviceAddress) => Outcome | Promise<Outcome> = () => ({ outcome: 'delivered' });

  constructor(readonly platform: Platform) {
    super();
  }

  async prepare(notification: Notification): Promise<PreparedNotification | { readonly rejected: string }> {
    this.prepared.push(notification);
    if (this.fault !== undefined) throw new PlatformFault(this.fault);
    if (this.rejected !== undefined) return { rejected: this.rejected };
    return { ttlMs: this.ttlMs, send: (device) => this.send(device) };
  }

  private async send(device: DeviceAddress): Promise<Outcome> {
    this.sent.push(device.id);
    this.active += 1;
    this.peak = Math.max(this.peak, this.active);
    try {
      await Promise.resolve();
      return await this.answer(device);
    } finally {
      this.active -= 1;
    }
  }

  async close(): Promise<void> {}
}

let now: number;
let devices: DeviceRepository;
let outbox: MemoryPublishOutbox;
let gateways: Record<Platform, ScriptedGateway>;
let webhooks: WebhookDelivery[];
let workers: FanOutWorker[];

beforeEach(() => {
  Logger.overrideLogger(false);
  now = 1_700_000_000_000;
  devices = new MemoryDeviceRepository();
  outbox = new MemoryPublishOutbox();
  gateways = { apns: new ScriptedGateway('apns'), fcm: new ScriptedGateway('fcm'), web: new ScriptedGateway('web') };
  webhooks = [];
  workers = [];
});
afterEach(() => Promise.all(workers.map((worker) => worker.beforeApplicationShutdown())));

function startWorker(options: PublishOptions = {}): FanOutWorker {
  const settings = new PublishSettings({ pollMs: 2, firstRetryMs: 1000, ...options });
  const clock = () => now;
  const sender = {
    send: async (deliveries: readonly WebhookDelivery[]) => {
      webhooks.push(...deliveries);
      return { dropped: 0 };
    },
  };
  const ports = new FanOutPorts(
    settings,
    instances,
    devices,
    outbox,
    new PushGateways(Object.values(gateways)),
    new PublishWebhooks(sender, instances, clock),
    new DeletionGuard(settings, clock),
    new FaultLog(),
    new PublishMetrics(),
    clock,
  );
  const worker = new FanOutWorker(ports);
  workers.push(worker);
  worker.onApplicationBootstrap();
  return worker;
}

async function register(count: number, platform: Platform = 'fcm', interest = 'news'): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const registration = { platform, token: `${platform} ${interest} ${index}`, metadata: {} };
    const { id } = await devices.register(instance.id, registration, now);
    await devices.addInterest(instance.id, platform, id, interest);
    ids.push(id);
  }
  return ids.sort();
}

async function publish(payloads: Payloads = hi, interests = ['news'], more: object = {}): Promise<string> {
  const made = publishOf(instance.id, { interests, ...payloads, ...more }, now);
  await outbox.add(made);
  return made.id;
}

async function status(publishId: string) {
  const record = await outbox.find(instance.id, publishId);
  if (!record) throw new Error(`no publish ${publishId}`);
  return statusOf(record, [], await outbox.waiting(publishId));
}

async function finished(publishId: string) {
  await vi.waitFor(async () => expect(await status(publishId)).toMatchObject({ state: 'finished' }), { timeout: 5000 });
  return (await status(publishId)).platforms;
}

describe('a fan-out', () => {
  it('sends to each device of the audience once, however many interests match', async () => {
    const ids = await register(25);
    for (const id of ids) await devices.addInterest(instance.id, 'fcm', id, 'sport');
    await register(5, 'fcm', 'other');
    const id = await publish(hi, ['news', 'sport']);
    startWorker({ pageSize: 10 });
    expect(await finished(id)).toEqual({
      fcm: { audience: 25, sent: 25, failed: {}, retrying: 0, removedDevices: 0, delivered: 0, opened: 0 },
    });
    expect(gateways.fcm.sent.toSorted()).toEqual(ids);
  });

  it('sends to each platform that the publish has a payload for, and to no other', async () => {
    await register(3, 'apns');
    await register(4, 'fcm');
    await register(5, 'web');
    const id = await publish({ apns: {}, web: { data: {} } });
    startWorker();
    expect(await finished(id)).toMatchObject({ apns: { sent: 3 }, web: { sent: 5 } });
    expect(gateways.fcm.sent).toEqual([]);
    expect(gateways.web.prepared).toEqual([{ instance, publishId: id, publishedAt: now, payload: { data: {} } }]);
  });

  it('finishes with the last of its platforms, and keeps nobody waiting for the next poll', async () => {
    await register(1);
    await register(1, 'web');
    gateways.fcm.answer = () => new Promise((resolve) => setTimeout(() => resolve({ outcome: 'delivered' }), 20));
    const ids = [await publish({ ...hi, apns: {}, web: {} }), await publish({ ...hi, apns: {}, web: {} })];
    startWorker({ concurrentPublishes: 1, pollMs: 60_000 });
    for (const id of ids) expect(await finished(id)).toMatchObject({ fcm: { sent: 1 }, web: { sent: 1 } });
  });

  it('finishes a publish to nobody without asking a gateway', async () => {
    gateways.fcm.fault = 'no credentials';
    const id = await publish();
    startWorker();
    expect(await finished(id)).toMatchObject({ fcm: { audience: 0, sent: 0 } });
    expect(gateways.fcm.prepared).toEqual([]);
  });

  it('has no more sends under way than the platform may have, also over several publishes', async () => {
    await register(40);
    const ids = [await publish(), await publish()];
    startWorker({ concurrency: { fcm: 7 } });
    for (const id of ids) await finished(id);
    expect(gateways.fcm.peak).toBe(7);
    expect(gateways.fcm.sent).toHaveLength(80);
  });

  it('never holds more than two pages of devices, and saves after each page', async () => {
    await register(100);
    const read = vi.spyOn(devices, 'inAudience');
    const save = vi.spyOn(outbox, 'save');
    const id = await publish();
    startWorker({ pageSize: 10 });
    await finished(id);
    expect(read.mock.calls.every(([, , , limit]) => limit === 9)).toBe(true);
    expect(save.mock.calls.length).toBeGreaterThanOrEqual(12);
  });

  it('counts what a gateway rejects by its reason, and keeps the device', async () => {
    const [first] = await register(3);
    gateways.fcm.answer = ({ id }) =>
      id === first ? { outcome: 'rejected', reason: 'SENDER_ID_MISMATCH' } : { outcome: 'delivered' };
    const id = await publish();
    startWorker();
    expect(await finished(id)).toMatchObject({
      fcm: { sent: 2, failed: { SENDER_ID_MISMATCH: 1 }, removedDevices: 0 },
    });
    expect(await devices.find(instance.id, 'fcm', first ?? '')).toBeDefined();
  });

  it('counts a payload that no device can get for all of them, and sends nothing', async () => {
    await register(15);
    gateways.fcm.rejected = 'PayloadTooLarge';
    const id = await publish();
    startWorker({ pageSize: 10 });
    expect(await finished(id)).toMatchObject({ fcm: { audience: 15, sent: 0, failed: { PayloadTooLarge: 15 } } });
    expect(gateways.fcm.sent).toEqual([]);
  });

  it('fails every platform of an instance that is gone', async () => {
    const orphan = publishOf('00000000-0000-4000-8000-00000000000f', { interests: ['news'], ...hi }, now);
    await outbox.add(orphan);
    startWorker();
    await vi.waitFor(async () => {
      const lanes = (await outbox.find(orphan.instanceId, orphan.id))?.lanes;
      expect(lanes).toMatchObject([{ fault: 'The instance is no longer configured', paged: true }]);
    });
  });
});

describe('devices that are gone', () => {
  const gone = (): Outcome => ({ outcome: 'unregistered' });

  it('are removed, unless they registered again since', async () => {
    const [first, second, third] = await register(3);
    gateways.fcm.answer = ({ id, registeredAt }) => {
      if (id === first) return { outcome: 'unregistered' };
      if (id === second) return { outcome: 'unregistered', before: registeredAt - 1 };
      return { outcome: 'delivered' };
    };
    const id = await publish();
    startWorker();
    expect(await finished(id)).toMatchObject({ fcm: { sent: 1, failed: { unregistered: 2 }, removedDevices: 1 } });
    expect(await devices.find(instance.id, 'fcm', first ?? '')).toBeUndefined();
    expect(await devices.find(instance.id, 'fcm', second ?? '')).toBeDefined();
    expect(await devices.find(instance.id, 'fcm', third ?? '')).toBeDefined();
  });

  it('are kept when they got a new token while the old one was asked about', async () => {
    const [id = ''] = await register(1);
    gateways.fcm.answer = async () => {
      await devices.setToken(instance.id, 'fcm', id, 'new token', now + 1);
      return gone();
    };
    const publishId = await publish();
    startWorker();
    expect(await finished(publishId)).toMatchObject({ fcm: { failed: { unregistered: 1 }, removedDevices: 0 } });
    expect(await devices.find(instance.id, 'fcm', id)).toMatchObject({ token: 'new token' });
  });

  it('are all kept when more than half of a large page is gone', async () => {
    const ids = await register(120);
    gateways.fcm.answer = gone;
    const id = await publish();
    startWorker();
    expect(await finished(id)).toMatchObject({
      fcm: { failed: { unregistered: 120 }, removedDevices: 0, deletionPaused: true },
    });
    expect(await devices.find(instance.id, 'fcm', ids[0] ?? '')).toBeDefined();
  });

  it('are kept for an hour then, on that platform of that instance', async () => {
    await register(120);
    await register(10, 'web');
    gateways.fcm.answer = gone;
    gateways.web.answer = gone;
    startWorker();
    await finished(await publish());
    await register(3, 'fcm', 'few');
    expect(await finished(await publish(hi, ['few']))).toMatchObject({
      fcm: { removedDevices: 0, deletionPaused: true },
    });
    expect(await finished(await publish({ web: {} }))).toMatchObject({ web: { removedDevices: 10 } });
    now += 3_600_000;
    expect(await finished(await publish(hi, ['few']))).toMatchObject({ fcm: { removedDevices: 3 } });
  });

  it('are removed when half of a page is gone, or all of a small one', async () => {
    await register(120);
    await register(50, 'web');
    let count = 0;
    gateways.fcm.answer = () => ((count += 1) % 2 === 0 ? { outcome: 'unregistered' } : { outcome: 'delivered' });
    gateways.web.answer = gone;
    const id = await publish({ ...hi, web: {} });
    startWorker();
    expect(await finished(id)).toMatchObject({ fcm: { removedDevices: 60 }, web: { removedDevices: 50 } });
  });
});

describe('a fault of the platform', () => {
  it('stops the platform, removes nobody, and leaves the others alone', async () => {
    const ids = await register(30);
    await register(3, 'web');
    gateways.fcm.answer = () => {
      throw new PlatformFault('Wrong project');
    };
    const id = await publish({ ...hi, web: {} });
    startWorker({ pageSize: 10, concurrency: { fcm: 1 } });
    expect(await finished(id)).toMatchObject({
      fcm: { audience: 30, sent: 0, failed: { PlatformFault: 30 }, removedDevices: 0, fault: 'Wrong project' },
      web: { sent: 3 },
    });
    expect(gateways.fcm.sent).toHaveLength(1);
    expect(await devices.find(instance.id, 'fcm', ids[0] ?? '')).toBeDefined();
  });

  it('is told by instances without credentials too', async () => {
    await register(2);
    gateways.fcm.fault = 'No FCM credentials';
    const id = await publish();
    startWorker();
    expect(await finished(id)).toMatchObject({ fcm: { fault: 'No FCM credentials', failed: { PlatformFault: 2 } } });
  });
});

describe('a device that is put off', () => {
  it('is tried again with growing waits, while the others get theirs at once', async () => {
    const [slow] = await register(10);
    const tries: number[] = [];
    gateways.fcm.answer = ({ id }) => {
      if (id !== slow) return { outcome: 'delivered' };
      tries.push(now);
      if (tries.length < 4) throw new SendLater('UNAVAILABLE');
      return { outcome: 'delivered' };
    };
    const id = await publish();
    startWorker();
    await vi.waitFor(async () =>
      expect((await status(id)).platforms).toMatchObject({ fcm: { sent: 9, retrying: 1, audience: 10 } }),
    );
    for (const seconds of [1, 2, 4]) {
      now += seconds * 1000;
      const known = tries.length;
      await vi.waitFor(() => expect(tries.length).toBeGreaterThan(known));
    }
    expect(await finished(id)).toMatchObject({ fcm: { sent: 10, failed: {}, audience: 10 } });
    expect(gateways.fcm.sent).toHaveLength(13);
  });

  it('waits as long as the gateway asks for', async () => {
    await register(1);
    let tries = 0;
    gateways.fcm.answer = () => {
      if ((tries += 1) === 1) throw new SendLater('QUOTA_EXCEEDED', 60_000);
      return { outcome: 'delivered' };
    };
    const id = await publish();
    startWorker();
    await vi.waitFor(async () => expect(await outbox.waiting(id)).toMatchObject([{ dueAt: now + 60_000 }]));
    now += 59_999;
    await outbox.claim('nobody', 0, 0);
    expect(tries).toBe(1);
    now += 1;
    await finished(id);
    expect(tries).toBe(2);
  });

  it('fails with the reason of the gateway when its time is over', async () => {
    await register(2);
    gateways.fcm.ttlMs = 2500;
    gateways.fcm.answer = () => {
      throw new SendLater('UNAVAILABLE');
    };
    const id = await publish();
    startWorker();
    await vi.waitFor(async () => expect(await outbox.waiting(id)).toMatchObject([{ count: 2 }]));
    now += 2000;
    expect(await finished(id)).toMatchObject({ fcm: { sent: 0, failed: { UNAVAILABLE: 2 } } });
  });

  it('fails when its time was over before anybody could try it again', async () => {
    await register(1);
    gateways.fcm.ttlMs = 60_000;
    gateways.fcm.answer = () => {
      throw new SendLater('Busy');
    };
    const id = await publish();
    const worker = startWorker();
    await vi.waitFor(async () => expect(await status(id)).toMatchObject({ platforms: { fcm: { retrying: 1 } } }));
    await worker.beforeApplicationShutdown();
    now += 3_600_000;
    gateways.fcm.answer = () => ({ outcome: 'delivered' });
    startWorker();
    expect(await finished(id)).toMatchObject({ fcm: { sent: 0, failed: { Expired: 1 }, retrying: 0 } });
    expect(gateways.fcm.sent).toHaveLength(1);
  });

  it('is tried once when its time to live is 0', async () => {
    await register(1);
    gateways.fcm.ttlMs = 0;
    gateways.fcm.answer = () => {
      throw new SendLater('UNAVAILABLE');
    };
    const id = await publish();
    startWorker();
    expect(await finished(id)).toMatchObject({ fcm: { failed: { UNAVAILABLE: 1 } } });
    expect(gateways.fcm.sent).toHaveLength(1);
  });

  it('is not sent to at all when its time was over before its page came', async () => {
    await register(30);
    gateways.fcm.ttlMs = 60_000;
    gateways.fcm.answer = () => {
      now += 60_001;
      return { outcome: 'delivered' };
    };
    const id = await publish();
    startWorker({ pageSize: 20, concurrency: { fcm: 1 } });
    const { sent } = gateways.fcm;
    expect(await finished(id)).toMatchObject({ fcm: { audience: 30, sent: 18, failed: { Expired: 12 } } });
    expect(sent).toHaveLength(18);
  });

  it('is still sent to once, however late, when its time to live is 0', async () => {
    await register(3);
    gateways.fcm.ttlMs = 0;
    const id = await publish();
    now += 3_600_000;
    startWorker();
    expect(await finished(id)).toMatchObject({ fcm: { sent: 3, failed: {} } });
  });

  it('is not waited for after its time, whatever the gateway asks for', async () => {
    await register(30);
    gateways.fcm.ttlMs = 60_000;
    gateways.fcm.answer = () => {
      throw new SendLater('QUOTA_EXCEEDED', 3_600_000);
    };
    const id = await publish();
    startWorker({ pageSize: 20 });
    await vi.waitFor(async () => expect(await status(id)).toMatchObject({ platforms: { fcm: { audience: 18 } } }));
    now += 60_001;
    expect(await finished(id)).toMatchObject({ fcm: { failed: { QUOTA_EXCEEDED: 18, Expired: 12 } } });
  });

  it('holds the next page back when most of a page is put off, and no other platform', async () => {
    await register(30);
    await register(30, 'web');
    gateways.fcm.answer = () => {
      throw new SendLater('UNAVAILABLE');
    };
    const id = await publish({ ...hi, web: {} });
    startWorker({ pageSize: 20 });
    await vi.waitFor(async () => expect((await status(id)).platforms).toMatchObject({ web: { sent: 30 } }));
    expect(gateways.fcm.sent).toHaveLength(9);
    gateways.fcm.answer = () => ({ outcome: 'delivered' });
    now += 1000;
    await vi.waitFor(async () => expect((await status(id)).platforms).toMatchObject({ fcm: { sent: 30 } }));
    expect(gateways.fcm.sent).toHaveLength(39);
  });

  it('is tried again after an error that no gateway should throw', async () => {
    await register(1);
    let tries = 0;
    gateways.fcm.answer = () => {
      if ((tries += 1) === 1) throw new TypeError('oops');
      return { outcome: 'delivered' };
    };
    const id = await publish();
    startWorker();
    await vi.waitFor(() => expect(tries).toBe(1));
    await vi.waitFor(async () => expect(await outbox.waiting(id)).toHaveLength(1));
    now += 1000;
    expect(await finished(id)).toMatchObject({ fcm: { sent: 1 } });
  });
});

describe('a gateway that takes its time', () => {
  it('does not hold up the next page, and its answer counts when it comes', async () => {
    const ids = await register(100);
    const slow = ids[3] ?? '';
    let answer: ((outcome: Outcome) => void) | undefined;
    gateways.fcm.answer = ({ id }) =>
      id === slow ? new Promise((resolve) => (answer = resolve)) : { outcome: 'delivered' };
    const id = await publish();
    startWorker({ pageSize: 20, slowSendMs: 5 });
    await vi.waitFor(async () =>
      expect((await status(id)).platforms).toMatchObject({ fcm: { audience: 100, sent: 99, retrying: 1 } }),
    );
    expect(gateways.fcm.sent).toHaveLength(100);
    answer?.({ outcome: 'unregistered' });
    expect(await finished(id)).toMatchObject({ fcm: { sent: 99, failed: { unregistered: 1 }, removedDevices: 1 } });
    expect(gateways.fcm.sent).toHaveLength(100);
  });

  it('holds up the page when too many devices are slow', async () => {
    await register(100);
    const answers: (() => void)[] = [];
    gateways.fcm.answer = () => new Promise((resolve) => answers.push(() => resolve({ outcome: 'delivered' })));
    const id = await publish();
    startWorker({ pageSize: 20, slowSendMs: 2 });
    await vi.waitFor(() => expect(gateways.fcm.sent).toHaveLength(18));
    await new Promise((done) => setTimeout(done, 20));
    expect(gateways.fcm.sent).toHaveLength(18);
    while ((await status(id)).state !== 'finished') {
      answers.shift()?.();
      await new Promise((done) => setImmediate(done));
    }
    expect((await status(id)).platforms).toMatchObject({ fcm: { sent: 100, retrying: 0 } });
    expect(new Set(gateways.fcm.sent).size).toBe(100);
  });

  it('lets other publishes have its place while it waits', async () => {
    await register(1, 'fcm', 'slow');
    await register(1, 'fcm', 'quick');
    let answer: (() => void) | undefined;
    gateways.fcm.answer = ({ token }) => {
      if (token.startsWith('fcm quick')) return { outcome: 'delivered' };
      return new Promise((resolve) => (answer = () => resolve({ outcome: 'delivered' })));
    };
    const slow = await publish(hi, ['slow']);
    const quick = await publish(hi, ['quick']);
    startWorker({ concurrentPublishes: 1, slowSendMs: 5 });
    await finished(quick);
    expect(await status(slow)).toMatchObject({ state: 'sending' });
    answer?.();
    expect(await finished(slow)).toMatchObject({ fcm: { sent: 1 } });
  });

  it('is tried again after a crash, though the publish has gone on', async () => {
    const ids = await register(30);
    gateways.fcm.answer = ({ id }) => (id === ids[0] ? new Promise(() => undefined) : { outcome: 'delivered' });
    const id = await publish();
    const claim = vi.spyOn(outbox, 'claim');
    startWorker({ pageSize: 10, slowSendMs: 5 });
    await vi.waitFor(async () => expect((await status(id)).platforms).toMatchObject({ fcm: { sent: 29 } }));
    workers.pop();
    expect(claim).toHaveBeenCalled();
    gateways.fcm.answer = () => ({ outcome: 'delivered' });
    now += 120_000;
    startWorker();
    expect(await finished(id)).toMatchObject({ fcm: { audience: 30, sent: 30 } });
    expect(gateways.fcm.sent).toHaveLength(31);
  });
});

describe('a lane', () => {
  it('has its retries in time though another one has many pages left', async () => {
    await register(1);
    await register(3000, 'web');
    let tries = 0;
    gateways.fcm.answer = () => {
      if ((tries += 1) === 1) throw new SendLater('UNAVAILABLE');
      return { outcome: 'delivered' };
    };
    let whenRetried = 0;
    gateways.web.answer = async () => {
      await new Promise((done) => setImmediate(done));
      now += 5;
      if (tries === 2) whenRetried ||= gateways.web.sent.length;
      return { outcome: 'delivered' };
    };
    const id = await publish({ ...hi, web: {} });
    startWorker({ pageSize: 20, concurrency: { web: 1 }, leaseMs: 1_000_000 });
    expect(await finished(id)).toMatchObject({ fcm: { sent: 1 }, web: { sent: 3000 } });
    expect(whenRetried).toBeGreaterThan(0);
    expect(whenRetried).toBeLessThan(3000);
  });
});

describe('a worker', () => {
  it('gives a small publish its turn while large ones are under way', async () => {
    await register(1000);
    const [few] = await register(1, 'fcm', 'few');
    gateways.fcm.answer = () => {
      now += 1;
      return { outcome: 'delivered' };
    };
    const large = [await publish(), await publish()];
    const small = await publish(hi, ['few']);
    startWorker({ pageSize: 20, concurrentPublishes: 1, turnMs: 50, concurrency: { fcm: 10 } });
    for (const id of large) expect(await finished(id)).toMatchObject({ fcm: { sent: 1000 } });
    await finished(small);
    expect(gateways.fcm.sent.indexOf(few ?? '')).toBeLessThan(200);
  });

  it('finishes the page and gives the lease back when it stops; the next one goes on from there', async () => {
    await register(100);
    const id = await publish();
    let stopped: Promise<void> | undefined;
    gateways.fcm.answer = () => {
      if (gateways.fcm.sent.length === 15) stopped = first.beforeApplicationShutdown();
      return { outcome: 'delivered' };
    };
    const first = startWorker({ pageSize: 10, concurrency: { fcm: 1 } });
    await vi.waitFor(() => expect(stopped).toBeDefined());
    await stopped;
    expect(gateways.fcm.sent).toHaveLength(18);
    startWorker();
    await finished(id);
    expect(new Set(gateways.fcm.sent).size).toBe(100);
    expect(gateways.fcm.sent).toHaveLength(100);
  });

  it('takes over from one that died, sending again no more than the page under way', async () => {
    const ids = await register(100);
    const dead = publishOf(instance.id, { interests: ['news'], ...hi }, now);
    await outbox.add(dead);
    await outbox.claim('dead', now, 30_000);
    const cursor = ids[29] ?? '';
    const lane = {
      platform: 'fcm' as const,
      cursor,
      paged: false,
      audience: 30,
      sent: 30,
      failed: {},
      removed: 0,
      users: '',
    };
    await outbox.save('dead', dead.id, lane);
    startWorker();
    now += 30_000;
    expect(await finished(dead.id)).toMatchObject({ fcm: { audience: 100, sent: 100 } });
    expect(gateways.fcm.sent.toSorted()).toEqual(ids.slice(30));
  });

  it('stops after its page when another has taken the publish over', async () => {
    await register(60);
    const id = await publish();
    gateways.fcm.answer = async () => {
      // A process that was stopped for so long that its lease ran out.
      if (gateways.fcm.sent.length === 15) {
        now += 31_000;
        await outbox.claim('other', now, 1_000_000);
      }
      return { outcome: 'delivered' };
    };
    startWorker({ pageSize: 10, concurrency: { fcm: 1 } });
    await vi.waitFor(() => expect(gateways.fcm.sent).toHaveLength(18));
    await workers[0]?.beforeApplicationShutdown();
    expect(gateways.fcm.sent).toHaveLength(18);
    expect((await status(id)).platforms).toMatchObject({ fcm: { audience: 9, sent: 9 } });
  });

  it('goes on after an error of the storage', async () => {
    await register(30);
    const id = await publish();
    const read = vi.spyOn(devices, 'inAudience');
    read.mockImplementationOnce(() => {
      throw new Error('database is away');
    });
    startWorker({ pageSize: 10 });
    await vi.waitFor(() => expect(read).toHaveBeenCalled());
    await vi.waitFor(async () => expect(await outbox.claim('x', now + 4999, 0)).toBeUndefined());
    now += 5000;
    expect(await finished(id)).toMatchObject({ fcm: { sent: 30 } });
  });
});

describe('webhooks of a publish', () => {
  const bodies = () => webhooks.map(({ body }) => JSON.parse(body) as Record<string, unknown>);

  it('tell webhookUrl that it has started, and how it ended', async () => {
    const ids = await register(3);
    await register(2, 'web');
    await register(1, 'apns');
    gateways.fcm.answer = ({ id }) => (id === ids[0] ? { outcome: 'rejected', reason: 'x' } : { outcome: 'delivered' });
    gateways.web.answer = () => ({ outcome: 'delivered' });
    gateways.apns.fault = 'Bad key';
    const more = { webhookUrl: 'https://user:pa%20ss@example.com/hook?a=b' };
    const id = await publish({ ...hi, web: {}, apns: {} }, ['news'], more);
    startWorker();
    await finished(id);
    const requestBody = { interests: ['news'], ...hi, web: {}, apns: {}, ...more };
    expect(bodies()).toEqual([
      { publishId: id, status: 'STARTED', requestBody },
      {
        publishId: id,
        status: 'FINISHED',
        requestBody,
        results: {
          apns: { failed: true },
          fcm: { numSuccessfulPublishes: 2, numFailedPublishes: 1 },
          web: { numSuccessfulPublishes: 2 },
        },
      },
    ]);
    for (const webhook of webhooks)
      expect(webhook).toMatchObject({
        url: 'https://example.com/hook?a=b',
        untrusted: true,
        timeoutMs: 3000,
        retryDelaysMs: [10_000, 30_000, 120_000, 300_000],
        headers: {
          'Content-Type': 'application/json',
          Authorization: `Basic ${Buffer.from('user:pa ss').toString('base64')}`,
        },
      });
    expect(new Set(webhooks.map(({ id }) => id)).size).toBe(2);
  });

  it('tell the instance which users of a publish were reached', async () => {
    const users = ['both', 'one bad', 'all bad', 'nobody'];
    const [good, bad] = [await register(2), await register(2, 'web')];
    await devices.setUser(instance.id, 'fcm', good[0] ?? '', 'both');
    await devices.setUser(instance.id, 'fcm', good[1] ?? '', 'one bad');
    await devices.setUser(instance.id, 'web', bad[0] ?? '', 'one bad');
    await devices.setUser(instance.id, 'web', bad[1] ?? '', 'all bad');
    gateways.web.answer = () => ({ outcome: 'rejected', reason: 'x' });
    const made = publishOf(instance.id, { users, ...hi, web: {} }, now);
    await outbox.add(made);
    startWorker();
    await finished(made.id);
    expect(bodies()).toMatchObject([
      {
        payload: {
          instance_id: instance.id,
          publish_id: made.id,
          users_delivered_to_gateway: ['both', 'one bad'],
          users_no_devices: ['nobody'],
          users_gateway_failed: ['all bad'],
        },
      },
    ]);
    expect(webhooks[0]).toMatchObject({ url: 'https://hooks.example/', untrusted: false });
  });
});
