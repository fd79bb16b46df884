import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FanOutWorld, hi, instance } from '../../../../test/support/fan-out-world.js';
import { SendLater } from '../delivery/push.gateway.js';

let given: FanOutWorld;
beforeEach(() => {
  given = new FanOutWorld();
});
afterEach(() => given.close());

const webhookUrl = 'https://hooks.example/';
const told = () => given.webhooks.map(({ body }) => JSON.parse(body).status);
const isOver = async (id: string) => {
  await expect.poll(() => given.status(id)).toHaveProperty('finishedAt');
};

describe('a cancelled publish', () => {
  it('before its time is neither sent nor reported', async () => {
    await given.register(3);
    const id = await given.publish(hi, ['news'], { webhookUrl }, given.now + 60_000);
    expect(await given.status(id)).toMatchObject({ state: 'scheduled' });
    await given.outbox.cancel(instance.id, id, given.now);
    given.startWorker();
    await isOver(id);
    expect(await given.status(id)).toMatchObject({ state: 'cancelled', platforms: { fcm: { audience: 0 } } });
    expect([given.gateways.fcm.sent, told()]).toEqual([[], []]);
  });

  it('in the middle ends with the pages in progress, which are counted and reported', async () => {
    await given.register(40);
    const id = await given.publish(hi, ['news'], { webhookUrl });
    given.gateways.fcm.answer = async () => {
      if (given.gateways.fcm.sent.length >= 15) await given.outbox.cancel(instance.id, id, given.now);
      return { outcome: 'delivered' };
    };
    given.startWorker({ pageSize: 10 });
    await isOver(id);
    const { length } = given.gateways.fcm.sent;
    expect(length).toBeGreaterThanOrEqual(15);
    expect(length).toBeLessThan(40);
    expect(await given.status(id)).toMatchObject({ state: 'cancelled', platforms: { fcm: { sent: length } } });
    expect(told()).toEqual(['STARTED', 'FINISHED']);
  });

  it('while its first page is prepared is not sent', async () => {
    await given.register(3);
    const id = await given.publish();
    const find = given.outbox.find.bind(given.outbox);
    vi.spyOn(given.outbox, 'find').mockImplementationOnce(async (...publish) => {
      const found = await find(...publish);
      await given.outbox.cancel(instance.id, id, given.now);
      return found;
    });
    given.startWorker();
    await isOver(id);
    expect(given.gateways.fcm.sent).toEqual([]);
  });

  it('does not retry waiting devices', async () => {
    await given.register(3);
    given.gateways.fcm.answer = () => {
      throw new SendLater('UNAVAILABLE', 900_000);
    };
    const id = await given.publish(hi, ['news'], { webhookUrl });
    given.startWorker();
    const release = vi.spyOn(given.outbox.jobs, 'retry');
    await expect.poll(async () => (await given.status(id)).platforms.fcm?.retrying).toBe(3);
    await expect.poll(() => release).toHaveBeenCalled();
    await given.outbox.cancel(instance.id, id, given.now);
    await isOver(id);
    expect(given.gateways.fcm.sent).toHaveLength(3);
    expect((await given.status(id)).platforms.fcm).toMatchObject({ retrying: 0, failed: { Cancelled: 3 } });
    expect(told()).toEqual(['STARTED', 'FINISHED']);
  });
});

describe('a scheduled publish', () => {
  it('has its whole time to live from its due time on', async () => {
    await given.register(1);
    given.gateways.fcm.ttlMs = 10_000;
    const publishAt = given.now + 3_600_000;
    const id = await given.publish(hi, ['news'], {}, publishAt);
    given.startWorker();
    given.now = publishAt;
    expect(await given.finished(id)).toMatchObject({ fcm: { sent: 1, failed: {} } });
    expect(given.gateways.fcm.prepared).toMatchObject([{ publishedAt: publishAt }]);
  });
});
