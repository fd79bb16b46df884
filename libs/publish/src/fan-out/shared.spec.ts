import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FanOutWorld, hi, instance } from '../../../../test/support/fan-out-world.js';
import { SendLater } from '../delivery/push.gateway.js';
import { publishOf } from '../publish.js';

let given: FanOutWorld;
beforeEach(() => {
  given = new FanOutWorld();
  given.gateways.fcm.answer = slowly;
});
afterEach(() => given.close());

async function slowly() {
  await new Promise((done) => setTimeout(done, 1));
  return { outcome: 'delivered' } as const;
}
const settings = { pageSize: 10 };
const ranges = async (id: string) =>
  ((await given.outbox.find(instance.id, id))?.partitions ?? []).filter(({ from }) => from !== undefined);

describe('a large publish', () => {
  it('is shared with an idle worker, and reaches each device once', async () => {
    const ids = await given.register(600);
    const apns = await given.register(30, 'apns');
    const webhookUrl = 'https://hooks.example/';
    const id = await given.publish({ ...hi, apns: {} }, ['news'], { webhookUrl });
    given.startWorker(settings);
    given.startWorker(settings);
    const { fcm } = await given.finished(id);
    expect((await ranges(id)).length).toBeGreaterThan(0);
    expect(given.gateways.fcm.sent.toSorted()).toEqual(ids);
    expect(given.gateways.apns.sent.toSorted()).toEqual(apns);
    expect(fcm).toMatchObject({ audience: 600, sent: 600, failed: {} });
    expect(given.webhooks.map(({ body }) => JSON.parse(body))).toMatchObject([
      { status: 'STARTED' },
      {
        status: 'FINISHED',
        results: { fcm: { numSuccessfulPublishes: 600 }, apns: { numSuccessfulPublishes: 30 } },
      },
    ]);
  });

  it('reports each user once, with the best outcome of their devices over all ranges', async () => {
    const ids = await given.register(600);
    const users = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'nobody'];
    for (const [index, id] of ids.entries())
      if (index % 6 !== 5 || index < 6) await given.devices.setUser(instance.id, 'fcm', id, users[index % 6] ?? '');
    given.gateways.fcm.answer = async ({ userId }) =>
      userId === 'bob' ? { outcome: 'rejected', reason: 'x' } : slowly();
    const made = publishOf(instance.id, { users, ...hi }, given.now);
    await given.outbox.add(made);
    given.startWorker(settings);
    given.startWorker(settings);
    const { fcm } = await given.finished(made.id);
    expect((await ranges(made.id)).length).toBeGreaterThan(0);
    expect(fcm).toMatchObject({ audience: 501, sent: 401, failed: { x: 100 } });
    expect(given.webhooks.map(({ body }) => JSON.parse(body).payload)).toMatchObject([
      {
        users_delivered_to_gateway: ['alice', 'carol', 'dave', 'erin', 'frank'],
        users_gateway_failed: ['bob'],
        users_no_devices: ['nobody'],
      },
    ]);
  });

  it('retries in the range of the device, and sums the counts', async () => {
    const ids = await given.register(600);
    const busy = new Set(ids.filter((_id, index) => index % 100 === 0));
    given.gateways.fcm.answer = async ({ id }) => {
      if (busy.has(id)) throw new SendLater('UNAVAILABLE', 60_000);
      return slowly();
    };
    const id = await given.publish();
    given.startWorker(settings);
    given.startWorker(settings);
    await expect.poll(async () => (await given.status(id)).platforms.fcm).toMatchObject({ retrying: 6, sent: 594 });
    expect((await given.outbox.waiting(id)).length).toBeGreaterThan(1);
    given.gateways.fcm.answer = slowly;
    given.now += 61_000;
    expect(await given.finished(id)).toMatchObject({ fcm: { audience: 600, sent: 600, failed: {}, retrying: 0 } });
    expect(given.gateways.fcm.sent).toHaveLength(606);
  });

  it('is not shared while its gateway defers most sends', async () => {
    await given.register(600);
    given.gateways.fcm.answer = () => {
      throw new SendLater('Busy', 60_000);
    };
    const id = await given.publish();
    const claim = vi.spyOn(given.outbox.jobs, 'claim');
    given.startWorker(settings);
    given.startWorker(settings);
    await expect.poll(() => claim.mock.calls.length).toBeGreaterThan(20);
    expect(await ranges(id)).toEqual([]);
    expect(given.gateways.fcm.sent.length).toBeLessThan(20);
  });

  it('has few ranges if one worker has them all', async () => {
    await given.register(600);
    const id = await given.publish();
    given.startWorker(settings);
    expect(await given.finished(id)).toMatchObject({ fcm: { audience: 600, sent: 600 } });
    expect((await ranges(id)).length).toBeLessThanOrEqual(Math.log2(60));
  });

  it('is not shared if it is small', async () => {
    await given.register(20);
    const id = await given.publish();
    given.startWorker(settings);
    await given.finished(id);
    expect(await ranges(id)).toEqual([]);
  });
});
