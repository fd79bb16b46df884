import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FanOutWorld, hi, instance } from '../../../../test/support/fan-out-world.js';
import { newPartition } from '../outbox/partition.js';
import { publishOf } from '../publish.js';

let given: FanOutWorld;
beforeEach(() => {
  given = new FanOutWorld();
});
afterEach(() => {
  vi.restoreAllMocks();
  return given.close();
});

const claim = { limit: 1, perKey: 1, busy: new Set<string>() };

describe('a worker', () => {
  it('gives a small publish its turn among large ones', async () => {
    await given.register(1000);
    const [few] = await given.register(1, 'fcm', 'few');
    given.gateways.fcm.answer = () => {
      given.now += 1;
      return { outcome: 'delivered' };
    };
    const large = [await given.publish(), await given.publish()];
    const small = await given.publish(hi, ['few']);
    given.startWorker({ pageSize: 20, concurrentPublishes: 1, turnMs: 50, concurrency: { fcm: 10 } });
    for (const id of large) expect(await given.finished(id)).toMatchObject({ fcm: { sent: 1000 } });
    await given.finished(small);
    expect(given.gateways.fcm.sent.indexOf(few ?? '')).toBeLessThan(200);
  });

  it('finishes its page and releases the lease when it stops; the next worker continues from there', async () => {
    await given.register(100);
    const id = await given.publish();
    let stopped: Promise<void> | undefined;
    given.gateways.fcm.answer = () => {
      if (given.gateways.fcm.sent.length === 15) stopped = first.beforeApplicationShutdown();
      return { outcome: 'delivered' };
    };
    const first = given.startWorker({ pageSize: 10, concurrency: { fcm: 1 } });
    await expect.poll(() => stopped !== undefined).toBe(true);
    await stopped;
    expect(given.gateways.fcm.sent).toHaveLength(18);
    given.startWorker();
    await given.finished(id);
    expect(new Set(given.gateways.fcm.sent).size).toBe(100);
    expect(given.gateways.fcm.sent).toHaveLength(100);
  });

  it('sends a publish that it reads from a replica too early', async () => {
    vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    await given.register(3);
    vi.spyOn(given.outbox, 'find').mockResolvedValueOnce(undefined);
    const id = await given.publish();
    const worker = given.startWorker();
    await expect.poll(() => Logger.prototype.error).toHaveBeenCalled();
    await worker.beforeApplicationShutdown();
    given.now += 5000;
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({ fcm: { sent: 3 } });
  });

  it('looks for a publish that was deleted by hand less and less often, and gives it up after a day', async () => {
    const error = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const { jobs } = given.outbox;
    const start = given.now;
    const seconds: number[] = [];
    vi.spyOn(given.outbox, 'find').mockImplementation(async () => {
      seconds.push((given.now - start) / 1000);
      return undefined;
    });
    const retry = jobs.retry.bind(jobs);
    vi.spyOn(jobs, 'retry').mockImplementation(async (job, dueAt, state) => {
      await retry(job, dueAt, state);
      setImmediate(() => (given.now = dueAt));
    });
    const id = await given.publish();
    given.startWorker();
    await expect.poll(() => jobs.size()).toBe(0);
    expect(seconds.slice(0, 5)).toEqual([0, 5, 10, 20, 40]);
    expect(seconds.slice(-2)).toEqual([81_920, 86_400]);
    expect(error.mock.calls).toEqual([
      [`Publish ${id} is missing from its store; looking for it for a day`],
      [`Publish ${id} was given up: it has been missing from its store for a day`],
    ]);
  });

  it('takes over from a dead worker, repeating at most the page in progress', async () => {
    const ids = await given.register(100);
    const dead = publishOf(instance.id, { interests: ['news'], ...hi }, given.now);
    await given.outbox.add(dead);
    const [job] = await given.outbox.jobs.claim({ ...claim, id: 'dead', now: given.now, leaseMs: 30_000 });
    const cursor = ids[29] ?? '';
    const partition = {
      platform: 'fcm' as const,
      cursor,
      paged: false,
      audience: 30,
      sent: 30,
      failed: {},
      removed: 0,
      users: '',
    };
    await given.outbox.save(job!, partition);
    given.startWorker();
    given.now += 30_000;
    expect(await given.finished(dead.id)).toMatchObject({ fcm: { audience: 100, sent: 100 } });
    expect(given.gateways.fcm.sent.toSorted()).toEqual(ids.slice(30));
  });

  it('starts the platforms that a dead worker had not started, and reports the start once', async () => {
    await Promise.all([given.register(3), given.register(3, 'web')]);
    const id = await given.publish({ ...hi, web: {} }, ['news'], { webhookUrl: 'https://hooks.example/' });
    const [job] = await given.outbox.jobs.claim({ ...claim, id: 'dead', now: given.now, leaseMs: 30_000 });
    await given.outbox.save(job!, newPartition('fcm', 0));
    given.now += 30_000;
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({ fcm: { sent: 3 }, web: { sent: 3 } });
    expect(given.webhooks.map(({ body }) => JSON.parse(body).status)).toEqual(['FINISHED']);
  });

  it('sends nothing if another worker has taken over before the first page', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn');
    await given.register(3);
    vi.spyOn(given.outbox, 'save').mockResolvedValueOnce('lost');
    const retry = vi.spyOn(given.outbox.jobs, 'retry');
    const id = await given.publish();
    given.startWorker();
    await expect.poll(() => warn).toHaveBeenCalledWith(`${id} has another owner`);
    expect([given.gateways.fcm.sent, retry.mock.calls]).toEqual([[], []]);
  });

  it('renews its lease well before it ends, however long the gateway takes', async () => {
    await given.register(1);
    const renew = vi.spyOn(given.outbox.jobs, 'renew');
    let answer = (): void => {};
    given.gateways.fcm.answer = () => new Promise((resolve) => (answer = () => resolve({ outcome: 'delivered' })));
    const id = await given.publish();
    given.startWorker({ leaseMs: 1500 });
    await expect.poll(() => renew).toHaveBeenCalled();
    answer();
    expect(await given.finished(id)).toMatchObject({ fcm: { sent: 1 } });
  });

  it('stops its other platforms after an error of the storage, and continues all of them later', async () => {
    const error = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    await Promise.all([given.register(30), given.register(2000, 'web')]);
    given.gateways.web.answer = async () => {
      await new Promise((done) => setImmediate(done));
      return { outcome: 'delivered' };
    };
    const read = given.devices.inAudience.bind(given.devices);
    let isAway = true;
    vi.spyOn(given.devices, 'inAudience').mockImplementation((...query) => {
      if (isAway && query[2].startsWith('fcm-')) throw new Error('database is away');
      return read(...query);
    });
    const id = await given.publish({ ...hi, web: {} });
    given.startWorker({ pageSize: 20 });
    await expect.poll(() => error).toHaveBeenCalledWith(expect.stringContaining('in 5 s'), expect.any(Error));
    expect(given.gateways.web.sent.length).toBeLessThan(2000);
    isAway = false;
    given.now += 5000;
    expect(await given.finished(id)).toMatchObject({ fcm: { sent: 30 }, web: { sent: 2000 } });
  });

  it('leaves all publishes to others if it is to be none', async () => {
    const jobsClaimed = vi.spyOn(given.outbox.jobs, 'claim');
    await given.publish();
    given.startWorker({ worker: false });
    await new Promise((done) => setImmediate(done));
    expect(jobsClaimed).not.toHaveBeenCalled();
  });

  it('stops sending once another worker has taken over the publish', async () => {
    await given.register(3000);
    const id = await given.publish();
    let wasStopped = false;
    given.gateways.fcm.answer = async () => {
      // Simulates a process suspended until its lease expired.
      if (!wasStopped && given.gateways.fcm.sent.length >= 1000) {
        wasStopped = true;
        given.now += 31_000;
        await given.outbox.jobs.claim({ ...claim, id: 'other', now: given.now, leaseMs: 1_000_000 });
      }
      return { outcome: 'delivered' };
    };
    given.startWorker({ concurrency: { fcm: 5 } });
    await expect.poll(() => given.gateways.fcm.sent.length).toBeGreaterThanOrEqual(1000);
    await given.workers[0]?.beforeApplicationShutdown();
    expect(given.gateways.fcm.sent.length).toBeLessThan(1000 + 10);
    expect((await given.status(id)).platforms).toMatchObject({ fcm: { audience: 900, sent: 900 } });
  });

  it('continues after a long pause if no other worker has taken over', async () => {
    await given.register(60);
    const renew = vi.spyOn(given.outbox.jobs, 'renew');
    const id = await given.publish();
    let wasStopped = false;
    given.gateways.fcm.answer = () => {
      if (!wasStopped && given.gateways.fcm.sent.length >= 15) {
        wasStopped = true;
        given.now += 31_000;
      }
      return { outcome: 'delivered' };
    };
    given.startWorker({ pageSize: 10, concurrency: { fcm: 5 }, pollMs: 60_000 });
    expect(await given.finished(id)).toMatchObject({ fcm: { audience: 60, sent: 60 } });
    expect(given.gateways.fcm.sent).toHaveLength(60);
    expect(renew).toHaveBeenCalledTimes(1);
  });

  it('abandons a page if the lease cannot be renewed, and repeats it', async () => {
    await given.register(60);
    vi.spyOn(given.outbox.jobs, 'renew').mockRejectedValueOnce(new Error('database is away'));
    const id = await given.publish();
    given.gateways.fcm.answer = () => {
      if (given.gateways.fcm.sent.length === 15) given.now += 31_000;
      return { outcome: 'delivered' };
    };
    given.startWorker({ pageSize: 10, concurrency: { fcm: 1 }, pollMs: 60_000 });
    expect(await given.finished(id)).toMatchObject({ fcm: { audience: 60, sent: 60 } });
    expect(new Set(given.gateways.fcm.sent).size).toBe(60);
    expect(given.gateways.fcm.sent).toHaveLength(60 + 6);
  });

  it('continues after an error of the storage', async () => {
    await given.register(30);
    const id = await given.publish();
    const read = vi.spyOn(given.devices, 'inAudience');
    read.mockImplementationOnce(() => {
      throw new Error('database is away');
    });
    given.startWorker({ pageSize: 10 });
    await expect.poll(() => read).toHaveBeenCalled();
    const early = { ...claim, id: 'x', now: given.now + 4999, leaseMs: 0 };
    await expect.poll(() => given.outbox.jobs.claim(early)).toEqual([]);
    given.now += 5000;
    expect(await given.finished(id)).toMatchObject({ fcm: { sent: 30 } });
  });
});
