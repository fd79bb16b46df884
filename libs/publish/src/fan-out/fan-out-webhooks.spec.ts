import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FanOutWorld, hi, instance } from '../../../../test/support/fan-out-world.js';
import { SendLater } from '../delivery/push.gateway.js';
import { publishOf } from '../publish.js';

let given: FanOutWorld;
beforeEach(() => {
  given = new FanOutWorld();
});
afterEach(() => given.close());

describe('webhooks of a publish', () => {
  const bodies = () => given.webhooks.map(({ body }) => JSON.parse(body) as Record<string, unknown>);

  it('report its start and its results to webhookUrl', async () => {
    const ids = await given.register(3);
    await given.register(2, 'web');
    await given.register(1, 'apns');
    given.gateways.fcm.answer = ({ id }) =>
      id === ids[0] ? { outcome: 'rejected', reason: 'x' } : { outcome: 'delivered' };
    given.gateways.web.answer = () => ({ outcome: 'delivered' });
    given.gateways.apns.fault = 'Bad key';
    const more = { webhookUrl: 'https://user:pa%20ss@example.com/hook?a=b' };
    const id = await given.publish({ ...hi, web: {}, apns: {} }, ['news'], more);
    given.startWorker();
    await given.finished(id);
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
    for (const webhook of given.webhooks)
      expect(webhook).toMatchObject({
        url: 'https://example.com/hook?a=b',
        untrusted: true,
        timeoutMs: 3000,
        retryDelaysMs: [10_000, 30_000, 120_000, 300_000],
        headers: {
          'Content-Type': 'application/json',
          authorization: `Basic ${Buffer.from('user:pa ss').toString('base64')}`,
        },
      });
    expect(new Set(given.webhooks.map(({ id }) => id)).size).toBe(2);
  });

  it('report to the instance which users were reached', async () => {
    const users = ['both', 'one bad', 'all bad', 'nobody'];
    const [good, bad] = [await given.register(2), await given.register(2, 'web')];
    await given.devices.setUser(instance.id, 'fcm', good[0] ?? '', 'both');
    await given.devices.setUser(instance.id, 'fcm', good[1] ?? '', 'one bad');
    await given.devices.setUser(instance.id, 'web', bad[0] ?? '', 'one bad');
    await given.devices.setUser(instance.id, 'web', bad[1] ?? '', 'all bad');
    given.gateways.web.answer = () => ({ outcome: 'rejected', reason: 'x' });
    const made = publishOf(instance.id, { users, ...hi, web: {} }, given.now);
    await given.outbox.add(made);
    given.startWorker();
    await given.finished(made.id);
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
    expect(given.webhooks[0]).toMatchObject({ url: 'https://hooks.example/', untrusted: false });
  });

  it('report the attempt once each device was tried, without waiting for retries', async () => {
    const [good = '', busy = ''] = await given.register(2);
    await given.devices.setUser(instance.id, 'fcm', good, 'reached');
    await given.devices.setUser(instance.id, 'fcm', busy, 'busy');
    given.gateways.fcm.answer = ({ id }) => {
      if (id === busy) throw new SendLater('HTTP 503');
      return { outcome: 'delivered' };
    };
    const made = publishOf(instance.id, { users: ['reached', 'busy', 'nobody'], ...hi }, given.now);
    await given.outbox.add(made);
    given.startWorker();
    await expect.poll(() => given.webhooks.length).toBe(1);
    expect(bodies()).toMatchObject([
      {
        payload: {
          users_delivered_to_gateway: ['reached'],
          users_no_devices: ['nobody'],
          users_gateway_failed: ['busy'],
        },
      },
    ]);
    expect(await given.status(made.id)).toMatchObject({ state: 'sending', platforms: { fcm: { retrying: 1 } } });
    given.gateways.fcm.answer = () => ({ outcome: 'delivered' });
    await expect.poll(() => given.laterStatus(made.id, 5000)).toMatchObject({ state: 'finished' });
    expect(given.webhooks).toHaveLength(1);
  });

  it('report the attempt after a minute, even if not all devices could be tried', async () => {
    const ids = await given.register(40);
    for (const [index, id] of ids.entries()) await given.devices.setUser(instance.id, 'fcm', id, `user ${index}`);
    given.gateways.fcm.answer = () => {
      throw new SendLater('HTTP 503', 600_000);
    };
    const users = ids.map((_, index) => `user ${index}`);
    const made = publishOf(instance.id, { users, ...hi }, given.now);
    await given.outbox.add(made);
    given.startWorker({ pageSize: 10 });
    await expect.poll(async () => (await given.status(made.id)).platforms).toMatchObject({ fcm: { retrying: 9 } });
    expect(given.webhooks).toEqual([]);
    given.now += 60_000;
    await expect.poll(() => given.webhooks.length).toBe(1);
    const [{ payload }] = bodies() as [{ payload: Record<string, readonly string[]> }];
    expect([payload['users_no_devices'], payload['users_gateway_failed']]).toEqual([[], users]);
  });

  it.each([
    ['the first', 1],
    ['the second', 2],
    ['the third', 3],
    ['none', Infinity],
  ])('are all queued in the end, when %s could not be', async (_, failing) => {
    const webhookUrl = 'https://hooks.example/';
    const [device = ''] = await given.register(1);
    await given.devices.setUser(instance.id, 'fcm', device, 'alice');
    const made = publishOf(instance.id, { users: ['alice'], ...hi, webhookUrl }, given.now);
    await given.outbox.add(made);
    let queued = 0;
    const push = given.webhooks.push.bind(given.webhooks);
    vi.spyOn(given.webhooks, 'push').mockImplementation((...webhooks) => {
      if ((queued += 1) === failing) throw new Error('the queue is away');
      return push(...webhooks);
    });
    given.startWorker();
    // The worker rests after an error.
    await expect.poll(() => given.laterStatus(made.id, 5000)).toMatchObject({ state: 'finished' });
    const kinds = bodies().map(({ status, metadata }) => status ?? (metadata as { event_type: string }).event_type);
    expect(new Set(kinds)).toEqual(new Set(['STARTED', 'FINISHED', 'v1.PublishToUsersAttempt']));
  });
});
