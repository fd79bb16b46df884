import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FanOutWorld, hi } from '../../../../test/support/fan-out-world.js';
import { type Outcome } from '../delivery/push.gateway.js';
import type { Payloads } from '../publish.js';

let given: FanOutWorld;
/** What a gateway that hangs has not answered yet. */
let answers: (() => void)[];
beforeEach(() => {
  given = new FanOutWorld();
  answers = [];
});
afterEach(() => {
  given.gateways.apns.answer = () => ({ outcome: 'delivered' });
  for (const answer of answers) answer();
  return given.close();
});

describe('a slow gateway', () => {
  it('does not delay the next page, and its late answer counts', async () => {
    const ids = await given.register(100);
    const slow = ids[3] ?? '';
    let answer: ((outcome: Outcome) => void) | undefined;
    given.gateways.fcm.answer = ({ id }) =>
      id === slow ? new Promise((resolve) => (answer = resolve)) : { outcome: 'delivered' };
    const id = await given.publish();
    given.startWorker({ pageSize: 20, slowSendMs: 5 });
    await expect
      .poll(async () => (await given.status(id)).platforms)
      .toMatchObject({ fcm: { audience: 100, sent: 99, retrying: 1 } });
    expect(given.gateways.fcm.sent).toHaveLength(100);
    answer?.({ outcome: 'unregistered' });
    expect(await given.finished(id)).toMatchObject({
      fcm: { sent: 99, failed: { unregistered: 1 }, removedDevices: 1 },
    });
    expect(given.gateways.fcm.sent).toHaveLength(100);
  });

  it('delays the page if too many devices are slow', async () => {
    await given.register(100);
    const answers: (() => void)[] = [];
    given.gateways.fcm.answer = () => new Promise((resolve) => answers.push(() => resolve({ outcome: 'delivered' })));
    const id = await given.publish();
    given.startWorker({ pageSize: 20, slowSendMs: 2 });
    await expect.poll(() => given.gateways.fcm.sent).toHaveLength(18);
    // Ten times as long as until a send is slow: the next page would have begun.
    await new Promise((done) => setTimeout(done, 20));
    expect(given.gateways.fcm.sent).toHaveLength(18);
    while ((await given.status(id)).state !== 'finished') {
      answers.shift()?.();
      await new Promise((done) => setImmediate(done));
    }
    expect((await given.status(id)).platforms).toMatchObject({ fcm: { sent: 100, retrying: 0 } });
    expect(new Set(given.gateways.fcm.sent).size).toBe(100);
  });

  it('frees its place for other publishes while it waits', async () => {
    await given.register(1, 'fcm', 'slow');
    await given.register(1, 'fcm', 'quick');
    let answer: (() => void) | undefined;
    given.gateways.fcm.answer = ({ token }) => {
      if (token.startsWith('fcm quick')) return { outcome: 'delivered' };
      return new Promise((resolve) => (answer = () => resolve({ outcome: 'delivered' })));
    };
    const slow = await given.publish(hi, ['slow']);
    const quick = await given.publish(hi, ['quick']);
    given.startWorker({ concurrentPublishes: 1, slowSendMs: 5 });
    await given.finished(quick);
    expect(await given.status(slow)).toMatchObject({ state: 'sending' });
    answer?.();
    expect(await given.finished(slow)).toMatchObject({ fcm: { sent: 1 } });
  });

  it('does not hold up a shutdown; the next worker sends to devices that it was not asked for, even without a TTL', async () => {
    const ids = await given.register(40);
    given.gateways.fcm.ttlMs = 0;
    given.gateways.fcm.answer = ({ id }) =>
      ids.indexOf(id) < 5 ? { outcome: 'delivered' } : new Promise(() => undefined);
    const id = await given.publish();
    const stopping = given.startWorker({ pageSize: 20, concurrency: { fcm: 4 } });
    await expect.poll(() => given.gateways.fcm.sent).toHaveLength(9);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stopped = stopping.beforeApplicationShutdown();
    await vi.advanceTimersByTimeAsync(5000);
    await stopped;
    vi.useRealTimers();
    expect(given.gateways.fcm.sent).toHaveLength(9);
    given.gateways.fcm.answer = () => ({ outcome: 'delivered' });
    given.now += 1000;
    given.startWorker();
    // Without a TTL, a device has one try.
    expect(await given.finished(id)).toMatchObject({ fcm: { audience: 40, sent: 36, failed: { Closed: 4 } } });
    expect(given.gateways.fcm.sent).toHaveLength(40);
  });

  it('is retried after a crash, even if the publish has continued', async () => {
    const ids = await given.register(30);
    given.gateways.fcm.answer = ({ id }) => (id === ids[0] ? new Promise(() => undefined) : { outcome: 'delivered' });
    const id = await given.publish();
    const claim = vi.spyOn(given.outbox.jobs, 'claim');
    given.startWorker({ pageSize: 10, slowSendMs: 5 });
    await expect.poll(async () => (await given.status(id)).platforms).toMatchObject({ fcm: { sent: 29 } });
    given.workers.pop();
    expect(claim).toHaveBeenCalled();
    given.gateways.fcm.answer = () => ({ outcome: 'delivered' });
    given.now += 120_000;
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({ fcm: { audience: 30, sent: 30 } });
    expect(given.gateways.fcm.sent).toHaveLength(31);
  });
});

describe('a gateway that hangs', () => {
  const toAll: Payloads = { ...hi, apns: { aps: { alert: 'hi' } }, web: { notification: { title: 'hi' } } };
  const appleHangs = (): void => {
    given.gateways.apns.answer = () => new Promise((resolve) => answers.push(() => resolve({ outcome: 'delivered' })));
  };
  /** Answers all that hangs, until the publishes have finished. */
  const answered = async (...ids: readonly string[]): Promise<void> => {
    given.gateways.apns.answer = () => ({ outcome: 'delivered' });
    for (const answer of answers.splice(0)) answer();
    given.now += 1000;
    for (const id of ids) await given.finished(id);
  };

  it('does not hold up publishes on other platforms, however many devices of a page wait for it', async () => {
    for (const platform of ['apns', 'fcm', 'web'] as const) await given.register(45, platform);
    await given.register(1, 'fcm', 'other');
    appleHangs();
    const hanging = [await given.publish(toAll), await given.publish(toAll), await given.publish(toAll)];
    given.startWorker({ pageSize: 60, concurrentPublishes: 2, slowSendMs: 5 });
    await expect.poll(() => answers.length).toBeGreaterThan(0);
    const other = await given.publish(hi, ['other']);
    expect(await given.finished(other)).toMatchObject({ fcm: { sent: 1 } });
    for (const id of hanging)
      await expect.poll(async () => (await given.status(id)).platforms).toMatchObject({ fcm: { sent: 45 } });
    await answered(...hanging);
    expect(given.gateways.apns.sent).toHaveLength(3 * 45);
  });

  it('does not hold up publishes on other platforms, however many publishes wait for it', async () => {
    await given.register(1, 'apns');
    await given.register(1, 'fcm', 'other');
    appleHangs();
    const hanging: string[] = [];
    for (let n = 0; n < 60; n += 1) hanging.push(await given.publish({ apns: toAll.apns! }));
    given.startWorker({ pageSize: 10, concurrentPublishes: 2, slowSendMs: 5, concurrency: { apns: 40 } });
    await expect.poll(() => answers.length).toBe(40);
    const other = await given.publish(hi, ['other']);
    expect(await given.finished(other)).toMatchObject({ fcm: { sent: 1 } });
    await answered(...hanging);
    expect(given.gateways.apns.sent).toHaveLength(60);
  });

  it('does not hold up the other pages of a publish on other platforms', async () => {
    await given.register(45, 'apns');
    const ids = await given.register(500);
    appleHangs();
    given.gateways.fcm.answer = () => {
      given.now += 1;
      return { outcome: 'delivered' };
    };
    const [first, second] = [await given.publish(toAll), await given.publish(toAll)];
    given.startWorker({ pageSize: 60, concurrentPublishes: 1, slowSendMs: 5, turnMs: 10 });
    await expect.poll(() => given.gateways.fcm.sent.length).toBe(1000);
    await answered(first, second);
    expect((await given.status(first)).platforms).toMatchObject({ apns: { sent: 45 }, fcm: { sent: 500 } });
    expect(new Set(given.gateways.fcm.sent)).toEqual(new Set(ids));
    expect([given.gateways.apns.sent.length, given.gateways.fcm.sent.length]).toEqual([90, 1000]);
  });
});
