import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FanOutWorld, hi } from '../../../../test/support/fan-out-world.js';
import { SendLater } from '../delivery/push.gateway.js';

let given: FanOutWorld;
beforeEach(() => {
  given = new FanOutWorld();
});
afterEach(() => given.close());

describe('a deferred device', () => {
  it('is retried with growing delays, while the others get theirs at once', async () => {
    const [slow] = await given.register(10);
    const tries: number[] = [];
    given.gateways.fcm.answer = ({ id }) => {
      if (id !== slow) return { outcome: 'delivered' };
      tries.push(given.now);
      if (tries.length < 4) throw new SendLater('UNAVAILABLE');
      return { outcome: 'delivered' };
    };
    const id = await given.publish();
    given.startWorker();
    await expect
      .poll(async () => (await given.status(id)).platforms)
      .toMatchObject({ fcm: { sent: 9, retrying: 1, audience: 10 } });
    for (const seconds of [1, 2, 4]) {
      given.now += seconds * 1000;
      const known = tries.length;
      await expect.poll(() => tries.length).toBeGreaterThan(known);
    }
    expect(await given.finished(id)).toMatchObject({ fcm: { sent: 10, failed: {}, audience: 10 } });
    expect(given.gateways.fcm.sent).toHaveLength(13);
  });

  it('waits as long as the gateway asks for', async () => {
    await given.register(1);
    let tries = 0;
    given.gateways.fcm.answer = () => {
      if ((tries += 1) === 1) throw new SendLater('QUOTA_EXCEEDED', 60_000);
      return { outcome: 'delivered' };
    };
    const id = await given.publish();
    given.startWorker();
    await expect.poll(() => given.outbox.waiting(id)).toMatchObject([{ dueAt: given.now + 60_000 }]);
    given.now += 59_999;
    await given.outbox.jobs.backlog(0);
    expect(tries).toBe(1);
    given.now += 1;
    await given.finished(id);
    expect(tries).toBe(2);
  });

  it('fails with the reason of the gateway when its time to live ends', async () => {
    await given.register(2);
    given.gateways.fcm.ttlMs = 2500;
    given.gateways.fcm.answer = () => {
      throw new SendLater('UNAVAILABLE');
    };
    const id = await given.publish();
    given.startWorker();
    await expect.poll(() => given.outbox.waiting(id)).toMatchObject([{ count: 2 }]);
    given.now += 2000;
    expect(await given.finished(id)).toMatchObject({ fcm: { sent: 0, failed: { UNAVAILABLE: 2 } } });
  });

  it('fails if its time to live ended before a retry', async () => {
    await given.register(1);
    given.gateways.fcm.ttlMs = 60_000;
    given.gateways.fcm.answer = () => {
      throw new SendLater('Busy');
    };
    const id = await given.publish();
    const worker = given.startWorker();
    await expect.poll(() => given.status(id)).toMatchObject({ platforms: { fcm: { retrying: 1 } } });
    await worker.beforeApplicationShutdown();
    given.now += 3_600_000;
    given.gateways.fcm.answer = () => ({ outcome: 'delivered' });
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({ fcm: { sent: 0, failed: { Expired: 1 }, retrying: 0 } });
    expect(given.gateways.fcm.sent).toHaveLength(1);
  });

  it('is tried once with a time to live of 0', async () => {
    await given.register(1);
    given.gateways.fcm.ttlMs = 0;
    given.gateways.fcm.answer = () => {
      throw new SendLater('UNAVAILABLE');
    };
    const id = await given.publish();
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({ fcm: { failed: { UNAVAILABLE: 1 } } });
    expect(given.gateways.fcm.sent).toHaveLength(1);
  });

  it('is not sent to if its time to live ended before its page', async () => {
    await given.register(30);
    given.gateways.fcm.ttlMs = 60_000;
    given.gateways.fcm.answer = () => {
      given.now += 60_001;
      return { outcome: 'delivered' };
    };
    const id = await given.publish();
    given.startWorker({ pageSize: 20, concurrency: { fcm: 1 } });
    const { sent } = given.gateways.fcm;
    expect(await given.finished(id)).toMatchObject({ fcm: { audience: 30, sent: 18, failed: { Expired: 12 } } });
    expect(sent).toHaveLength(18);
  });

  it('is still sent to once, however late, with a time to live of 0', async () => {
    await given.register(3);
    given.gateways.fcm.ttlMs = 0;
    const id = await given.publish();
    given.now += 3_600_000;
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({ fcm: { sent: 3, failed: {} } });
  });

  it('does not wait beyond its time to live, even if the gateway asks for it', async () => {
    await given.register(30);
    given.gateways.fcm.ttlMs = 60_000;
    given.gateways.fcm.answer = () => {
      throw new SendLater('QUOTA_EXCEEDED', 3_600_000);
    };
    const id = await given.publish();
    given.startWorker({ pageSize: 20 });
    await expect.poll(() => given.status(id)).toMatchObject({ platforms: { fcm: { audience: 18 } } });
    given.now += 60_001;
    expect(await given.finished(id)).toMatchObject({ fcm: { failed: { QUOTA_EXCEEDED: 18, Expired: 12 } } });
  });

  it('delays the next page if most of a page is deferred, and no other platform', async () => {
    await given.register(30);
    await given.register(30, 'web');
    given.gateways.fcm.answer = () => {
      throw new SendLater('UNAVAILABLE');
    };
    const id = await given.publish({ ...hi, web: {} });
    given.startWorker({ pageSize: 20 });
    await expect.poll(async () => (await given.status(id)).platforms).toMatchObject({ web: { sent: 30 } });
    expect(given.gateways.fcm.sent).toHaveLength(9);
    given.gateways.fcm.answer = () => ({ outcome: 'delivered' });
    given.now += 1000;
    await expect.poll(async () => (await given.status(id)).platforms).toMatchObject({ fcm: { sent: 30 } });
    expect(given.gateways.fcm.sent).toHaveLength(39);
  });

  it('holds up the next page once as many wait as may', async () => {
    const ids = await given.register(27);
    const slow = new Set(ids.filter((_, index) => index % 9 < 4));
    given.gateways.fcm.answer = ({ id }) => {
      if (slow.has(id)) throw new SendLater('UNAVAILABLE', 60_000);
      return { outcome: 'delivered' };
    };
    const id = await given.publish();
    const release = vi.spyOn(given.outbox.jobs, 'retry');
    // By chance, the random ids of the first page are so close together that half of the others are shared.
    const save = given.outbox.save.bind(given.outbox);
    vi.spyOn(given.outbox, 'save').mockImplementation(async (...change) => {
      const saved = await save(...change);
      return saved === 'wanted' ? 'saved' : saved;
    });
    // None of a page is late, however crowded the machine is.
    given.startWorker({ pageSize: 10, waitingRetries: 8, slowSendMs: 60_000 });
    await expect.poll(() => release).toHaveBeenCalled();
    expect(await given.status(id)).toMatchObject({ platforms: { fcm: { audience: 18, sent: 10, retrying: 8 } } });
    slow.clear();
    given.now += 60_000;
    expect(await given.finished(id)).toMatchObject({ fcm: { audience: 27, sent: 27 } });
  });

  it('fails with all others that wait, once the gateway takes the payload for none', async () => {
    const [first] = await given.register(6);
    given.gateways.fcm.answer = ({ id }) => {
      throw new SendLater('Busy', id === first ? 60_000 : 600_000);
    };
    const id = await given.publish();
    const worker = given.startWorker();
    await expect.poll(() => given.status(id)).toMatchObject({ platforms: { fcm: { retrying: 6 } } });
    await worker.beforeApplicationShutdown();
    given.gateways.fcm.rejected = 'PayloadTooLarge';
    given.now += 60_000;
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({ fcm: { sent: 0, failed: { PayloadTooLarge: 6 }, retrying: 0 } });
  });

  it('is sent to later if its notification cannot be prepared for an unknown reason', async () => {
    await given.register(2);
    vi.spyOn(given.gateways.fcm, 'prepare').mockRejectedValueOnce(new TypeError('oops'));
    const id = await given.publish();
    const release = vi.spyOn(given.outbox.jobs, 'retry');
    given.startWorker();
    await expect.poll(() => release).toHaveBeenCalled();
    given.now += 5000;
    expect(await given.finished(id)).toMatchObject({ fcm: { sent: 2, failed: {} } });
  });

  it('is retried after an unexpected error of the gateway, which is logged', async () => {
    const error = vi.spyOn(Logger.prototype, 'error');
    await given.register(1);
    let tries = 0;
    given.gateways.fcm.answer = () => {
      if ((tries += 1) === 1) throw new TypeError('oops');
      return { outcome: 'delivered' };
    };
    const id = await given.publish();
    given.startWorker();
    await expect.poll(() => tries).toBe(1);
    await expect.poll(() => given.outbox.waiting(id)).toHaveLength(1);
    given.now += 1000;
    expect(await given.finished(id)).toMatchObject({ fcm: { sent: 1 } });
    const line = `${id}: a fcm send failed unexpectedly; trying again`;
    expect(error.mock.calls).toEqual([[line, new TypeError('oops')]]);
    error.mockRestore();
  });
});
