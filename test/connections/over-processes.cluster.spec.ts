import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { overSocket, signed } from '../support/channels-api.js';
import { testApp } from '../support/channels-server.js';
import { TestCluster } from '../support/cluster.js';
import { describePostgres, newPostgresDatabase } from '../support/postgres.js';
import { instance } from '../support/push-app.js';
import { startTlsRedis } from '../support/redis-tls.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { buildServer } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const limited = { ...testApp, id: 'limited', key: 'limited', limits: { triggersPerSecond: 4 }, maxConnections: 3 };

interface Started {
  /** One for each process; workers share one, and take connections by turns. */
  readonly ports: readonly number[];
  stop(): Promise<void>;
  /** What the processes should have used. */
  check?(): Promise<void>;
}

/** Processes of a server, and what they share. */
async function start(receiver: WebhookReceiver, count: number, environment: Record<string, string>, redis = {}) {
  const webhooks = [{ url: receiver.url('/hook'), events: ['cache_miss'] }];
  const cluster = await TestCluster.start(count, {
    app: { ...testApp, clientEvents: true, subscriptionCount: true, webhooks },
    otherApps: [limited],
    file: {
      channels: { webhooks: { cacheMissMs: 30_000 } },
      instances: [{ ...instance, publishesPerSecond: 3 }],
      devices: { registrationsPerSecond: { address: 1 } },
      redis,
    },
    environment: { TRUST_PROXY: '127.0.0.1', ...environment },
  });
  const [first] = cluster.processes;
  return {
    ports: Array.from({ length: 2 }, (_, n) => (cluster.processes[n] ?? first!).port),
    stop: () => cluster.stop(),
  };
}

async function processes(receiver: WebhookReceiver): Promise<Started> {
  const redis = await TestRedis.start();
  const { ports, stop } = await start(receiver, 2, { REDIS_URL: redis.url });
  return { ports, stop: () => stop().then(() => redis.stop()) };
}

const workers = (receiver: WebhookReceiver): Promise<Started> => start(receiver, 1, { WORKERS: '2' });

/** What is set once in a while, all of it together. */
async function workersByTls(receiver: WebhookReceiver): Promise<Started> {
  const keyPrefix = 'tenant-7';
  const { redis, url } = await startTlsRedis(keyPrefix);
  const { ports, stop } = await start(receiver, 1, { WORKERS: '2', REDIS_URL: url }, { keyPrefix });
  const check = async () => {
    const keys = (await redis.command('KEYS', '*')) as string[];
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((key) => !key.startsWith(`${keyPrefix}:`))).toEqual([]);
  };
  return { ports, check, stop: () => stop().then(() => redis.stop()) };
}

const workersOnPostgres = async (receiver: WebhookReceiver): Promise<Started> =>
  start(receiver, 2, { WORKERS: '2', DATABASE_URL: await newPostgresDatabase() });

describeRedis.each([
  ['two processes on one Redis', processes],
  ['two workers', workers],
  ['two workers on a Redis with TLS, a user of few rights and a prefix', workersByTls],
])('over %s', (_, startThem) => stories(startThem));

describePostgres('over the workers of two servers on one PostgreSQL', () => stories(workersOnPostgres));

function stories(startThem: (receiver: WebhookReceiver) => Promise<Started>): void {
  let receiver: WebhookReceiver;
  let started: Started;
  let turns = 0;
  const port = (): number => started.ports[turns++ % 2]!;
  beforeAll(async () => {
    await buildServer();
    receiver = await WebhookReceiver.start();
    started = await startThem(receiver);
  }, 180_000);
  afterAll(async () => {
    await started.stop();
    await receiver.close();
  });

  const clients: SocketClient[] = [];
  const connect = async (app = testApp): Promise<SocketClient> => {
    const client = await SocketClient.connect(port(), app);
    clients.push(client);
    return client;
  };
  /** One on each process. */
  const pair = async () => [await connect(), await connect()] as const;
  afterEach(async () => {
    for (const client of clients.splice(0)) {
      client.close();
      await client.closing();
    }
  });

  const post = (path: string, body: unknown, app = testApp, headers = {}) =>
    overSocket(
      { port: port() },
      signed('POST', path, body, { app, headers: { 'content-type': 'application/json', ...headers } }),
    );
  const trigger = (channel: string, name = 'e') => post('/events', { name, channels: [channel], data: 'd' });

  /** How many of so many requests at once were let through, and for how long they were under way, in seconds. */
  async function allowed(count: number, ask: () => Promise<{ readonly status: number }>) {
    const began = performance.now();
    const answers = await Promise.all(Array.from({ length: count }, ask));
    const seconds = (performance.now() - began) / 1000;
    const taken = answers.filter(({ status }) => status === 200).length;
    expect(answers.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
    return { taken, seconds };
  }

  it('an app is limited to its events per second', async () => {
    const one = { name: 'e', channels: ['a'], data: 'd' };
    const { taken, seconds } = await allowed(30, () => post('/events', one, limited));
    expect(taken).toBeGreaterThanOrEqual(4);
    // Four at once, and those that are earned back while the others are on their way.
    expect(taken).toBeLessThanOrEqual(4 + Math.ceil(4 * seconds));
  });

  it('requests repeated with an Idempotency-Key are performed once', async () => {
    const [alice, bob] = await pair();
    for (const client of [alice, bob]) await client.subscribe('keyed');
    const event = { name: 'e', channels: ['keyed'], data: 'd', info: 'subscription_count' };
    const again = () => post('/events', event, testApp, { 'idempotency-key': 'one' });
    const answers = await Promise.all(Array.from({ length: 6 }, again));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ status: 200, text: '{"channels":{"keyed":{"subscription_count":2}}}' });
    await trigger('keyed', 'last');
    for (const client of [alice, bob]) {
      await client.next('last');
      expect(client.frames.filter(({ event: name }) => name === 'e')).toHaveLength(1);
    }
    expect((await post('/events', { ...event, data: 'x' }, testApp, { 'idempotency-key': 'one' })).status).toBe(422);
  });

  const call = async (path: string, body: object, headers: Record<string, string>) => {
    const url = `http://127.0.0.1:${port()}${path}`;
    const init = { method: 'POST', body: JSON.stringify(body) };
    // Each on a connection of its own, so that workers take turns.
    const all = { 'content-type': 'application/json', connection: 'close', ...headers };
    const response = await fetch(url, { ...init, headers: all });
    await response.arrayBuffer();
    return response;
  };

  it('registrations and publishes are limited', async () => {
    const registration = () =>
      call(
        `/device_api/v1/instances/${instance.id}/devices/fcm`,
        { token: crypto.randomUUID() },
        { 'x-forwarded-for': '1.0.0.1' },
      );
    const registrations = await allowed(30, registration);
    expect(registrations.taken).toBeGreaterThanOrEqual(10);
    expect(registrations.taken).toBeLessThanOrEqual(10 + Math.ceil(registrations.seconds));

    const fcm = { notification: { title: 't' } };
    const authorization = `Bearer ${instance.secretKey}`;
    const path = `/publish_api/v1/instances/${instance.id}/publishes/interests`;
    const publishes = await allowed(20, () => call(path, { interests: ['a'], fcm }, { authorization }));
    expect(publishes.taken).toBeGreaterThanOrEqual(3);
    expect(publishes.taken).toBeLessThanOrEqual(3 + 3 * Math.ceil(publishes.seconds));
  });

  it('an app is limited to its connections', async () => {
    for (let n = 0; n < 3; n++) await connect(limited);
    const late = await SocketClient.open(port(), limited);
    expect((await late.closing()).code).toBe(4004);
  });

  it('signed-in users are online, get their events, and are disconnected, on every process', async () => {
    const [alice, bob] = await pair();
    await bob.signin({ id: 'bob', watchlist: ['alice'] });
    await alice.signin({ id: 'alice' });
    const told = async (): Promise<object[]> => {
      const { data } = await bob.next('pusher_internal:watchlist_events');
      return (JSON.parse(data as string) as { events: object[] }).events;
    };
    let events = await told();
    // Alice may not have been there yet when Bob came.
    if (JSON.stringify(events).includes('offline')) events = await told();
    expect(events).toEqual([{ name: 'online', user_ids: ['alice'] }]);
    const reaches = async (name: string): Promise<void> => {
      await trigger('#server-to-user-alice', name);
      expect(await alice.next(name)).toMatchObject({ channel: '#server-to-user-alice', data: 'd' });
    };
    await reaches('at once');
    alice.send({ event: 'pusher:subscribe', data: { auth: '', channel: '#server-to-user-alice' } });
    await alice.next('pusher_internal:subscription_succeeded');
    for (const name of ['hi', 'ho']) await reaches(name);
    expect((await post('/users/alice/terminate_connections', undefined)).status).toBe(200);
    expect((await alice.closing()).code).toBe(4009);
    expect(await told()).toEqual([{ name: 'offline', user_ids: ['alice'] }]);
    expect(bob.closed).toBeUndefined();
  });

  it('a client event reaches other processes, and a channel is told its subscription count', async () => {
    const [alice, bob] = await pair();
    for (const client of [alice, bob]) await client.subscribe('private-a');
    await until(
      () => alice.frames.some(({ data }) => data === '{"subscription_count":2}'),
      'Alice is told of both',
      20_000,
    );
    alice.send({ event: 'client-e', channel: 'private-a', data: 'hi' });
    expect(await bob.next('client-e')).toMatchObject({ data: 'hi' });
    // Ten in a second from one connection, and not from one process.
    for (let n = 0; n < 30; n++) alice.send({ event: 'client-many', channel: 'private-a', data: 'hi' });
    expect((await alice.next('pusher:error')).data).toMatchObject({ code: 4301 });
    bob.send({ event: 'client-answer', channel: 'private-a', data: 'ho' });
    expect(await alice.next('client-answer')).toMatchObject({ data: 'ho' });
  });

  it('a cache channel reports one miss, and remembers events triggered on any process', async () => {
    const [alice, bob] = await pair();
    for (const client of [alice, bob]) {
      await client.subscribe('cache-a');
      await client.next('pusher:cache_miss');
    }
    await trigger('cache-a');
    for (const client of [...(await pair()), ...(await pair())]) {
      await client.subscribe('cache-a');
      expect(await client.next('e')).toMatchObject({ channel: 'cache-a', data: 'd' });
    }
    await receiver.untilEvents('/hook', 1);
    expect(receiver.events('/hook')).toEqual([{ name: 'cache_miss', channel: 'cache-a' }]);
    await started.check?.();
  });
}
