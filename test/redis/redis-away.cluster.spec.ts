import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PresenceChannel } from 'pusher-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signed } from '../support/channels-api.js';
import { subscribed, TestCluster } from '../support/cluster.js';
import { ageRedis } from '../support/aged-store.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { buildServer } from '../support/server-process.js';
import { until } from '../support/until.js';

describeRedis('while Redis is away', () => {
  let redis: TestRedis;
  let cluster: TestCluster;
  beforeAll(async () => {
    await buildServer();
    redis = await TestRedis.start();
    cluster = await TestCluster.start(2, {
      redisUrl: redis.url,
      app: { clientEvents: true, history: [{ channels: 'kept-*' }] },
      file: { redis: { heartbeatSeconds: 0.3, leaseSeconds: 3, outageSeconds: 4, commandTimeoutSeconds: 1 } },
    });
  }, 180_000);
  afterAll(async () => {
    await cluster.stop();
    await redis.stop();
  });

  const trigger = async (more: Readonly<Record<string, string>> = {}): Promise<Response> => {
    const app = { id: 'app', key: 'app-key', secret: 'app-secret' };
    const { method, url, body } = signed('POST', '/events', { name: 'e', channels: ['news'], data: 'd' }, { app });
    const headers = { 'content-type': 'application/json', ...more };
    return fetch(`${cluster.processes[0]!.url}${url}`, { method, headers, body: String(body) });
  };
  const metric = async (name: string): Promise<number> => {
    const metrics = await (await fetch(`${cluster.processes[0]!.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(metrics)?.[1]);
  };
  /** How often each process has said so. */
  const saidBy = (line: string): number[] => cluster.processes.map(({ output }) => output.split(line).length - 1);
  const statusOf = async (path: string): Promise<number> => (await fetch(`${cluster.processes[0]!.url}${path}`)).status;

  it('clients stay, work that needs Redis waits or is refused, and everything recovers with an empty one', async () => {
    const [one, two] = cluster.processes;
    const [alice, bob] = [
      await cluster.client(one!, { user_id: 'alice' }),
      await cluster.client(two!, { user_id: 'bob' }),
    ];
    const neighbour = await cluster.client(one!, { user_id: 'carol' });
    const rooms = (await Promise.all(
      [alice, bob, neighbour].map((client) => subscribed(client, 'presence-room')),
    )) as PresenceChannel[];
    await until(() => rooms.every(({ members }) => members.count === 3), 'all see all');
    const told: string[] = [];
    for (const room of rooms)
      for (const name of ['pusher:member_added', 'pusher:member_removed']) room.bind(name, () => told.push(name));
    const states: string[] = [];
    for (const client of [alice, bob, neighbour])
      client.connection.bind('state_change', ({ current }: { current: string }) => states.push(current));

    await until(async () => (await metric('rookery_processes_alive')) === 2, 'both have heard of each other');
    const outages = await metric('rookery_redis_outages');
    await redis.kill();
    await until(async () => (await trigger()).status === 503, 'a trigger is refused');
    expect((await trigger()).headers.get('retry-after')).toBe('1');
    const heard: unknown[] = [];
    rooms[2]!.bind('client-hello', (data: unknown) => heard.push(data));
    rooms[0]!.trigger('client-hello', { from: 'alice' });
    await until(() => heard.length > 0, 'subscribers in the same process still receive it');
    const late = alice.subscribe('late');
    expect(await statusOf('/health/ready')).toBe(200);

    await redis.start();
    await until(() => late.subscribed, 'the waiting client is answered');
    const news: number[] = [];
    (await subscribed(bob, 'again')).bind('e', (n: number) => news.push(n));
    await cluster.server(one!).trigger('again', 'e', 7);
    await until(() => news.includes(7), 'events are carried again');
    const users = async () => (await cluster.get(two!, '/channels/presence-room/users')).users as unknown[];
    await until(async () => (await users()).length === 3, 'all members are there again');
    expect(told).toEqual([]);
    expect(states).toEqual([]);
    for (const { members } of rooms) expect(members.count).toBe(3);
    expect(await metric('rookery_redis_outages')).toBe(outages + 1);
    expect(saidBy('Redis is away')).toEqual([1, 1]);
    expect(saidBy('Redis is back')).toEqual([1, 1]);
    await until(() => saidBy('may have been lost').every((times) => times > 0), 'it is said what may be lost');
  }, 60_000);

  it('an empty one tells each session of a gap on each channel with a history', async () => {
    // As if it had been there for longer than sessions are kept.
    await ageRedis(redis);
    const gaps: string[] = [];
    const heard: string[] = [];
    for (const [n, server] of cluster.processes.entries()) {
      const client = await cluster.client(server, undefined, `/session/${randomUUID()}`);
      for (const name of ['kept-a', 'kept-b', 'plain']) {
        const channel = await subscribed(client, name);
        channel.bind('rookery:gap', () => gaps.push(`${n} ${name}`));
        channel.bind('e', () => heard.push(`${n} ${name}`));
      }
    }
    await cluster.server(cluster.processes[0]!).trigger(['kept-a', 'plain'], 'e', 1);
    await until(() => heard.length === 4, 'events come');
    expect(gaps).toEqual([]);
    await redis.kill();
    await redis.start();
    const all = ['0 kept-a', '0 kept-b', '1 kept-a', '1 kept-b'];
    await until(() => all.every((each) => gaps.includes(each)), 'each is told');
    expect([...new Set(gaps)].toSorted()).toEqual(all);
  }, 60_000);

  it('a trigger with an Idempotency-Key is refused, and succeeds once Redis answers again', async () => {
    const keyed = () => trigger({ 'idempotency-key': 'met an outage' });
    redis.pause();
    expect((await keyed()).status).toBe(503);
    redis.resume();
    await until(async () => (await keyed()).status === 200, 'it is done');
    expect((await keyed()).status).toBe(200);
  }, 60_000);

  it.each<[string, () => unknown, () => unknown, number?]>([
    ['away', () => redis.pause(), () => redis.resume()],
    [
      'full, though it answers a PING,',
      () => redis.command('CONFIG', 'SET', 'maxmemory', '1'),
      () => redis.command('CONFIG', 'SET', 'maxmemory', '0'),
      // A trigger that keeps nothing needs no memory.
      200,
    ],
    [
      'without the replicas that it needs to take writes',
      () => redis.command('CONFIG', 'SET', 'min-replicas-to-write', 1),
      () => redis.command('CONFIG', 'SET', 'min-replicas-to-write', 0),
    ],
    [
      'unable to save, so that it takes no writes,',
      async () => {
        const [, folder] = (await redis.command('CONFIG', 'GET', 'dir')) as [string, string];
        mkdirSync(join(folder, 'dump.rdb', 'in the way'), { recursive: true });
        await redis.command('CONFIG', 'SET', 'save', '3600 1');
        await redis.command('BGSAVE');
      },
      () => redis.command('CONFIG', 'SET', 'stop-writes-on-bgsave-error', 'no'),
    ],
    ['a replica', () => redis.command('REPLICAOF', '127.0.0.1', 1), () => redis.command('REPLICAOF', 'NO', 'ONE')],
  ])(
    '%s for longer than it may be, the processes are not ready, until it is back',
    async (_, fail, recover, triggered = 503) => {
      await until(async () => (await metric('rookery_redis_away_seconds')) === 0, 'Redis is there');
      const outages = await metric('rookery_redis_outages');
      await fail();
      await until(async () => (await metric('rookery_redis_away_seconds')) > 0, 'it is away');
      // Reads are answered, and prove nothing.
      const listed = () => cluster.get(cluster.processes[0]!, '/channels').catch(() => undefined);
      const reading = setInterval(() => void listed(), 20);
      await until(async () => (await statusOf('/health/ready')) === 503, 'it is not ready any more');
      const answer = await fetch(`${cluster.processes[0]!.url}/health/ready`);
      expect(await answer.json()).toEqual({ status: 'Redis is away' });
      expect(await statusOf('/health/live')).toBe(200);
      expect((await trigger()).status).toBe(triggered);
      expect(await metric('rookery_redis_away_seconds')).toBeGreaterThan(2);
      expect(await metric('rookery_redis_outages')).toBe(outages + 1);
      clearInterval(reading);
      await recover();
      await until(async () => (await statusOf('/health/ready')) === 200, 'it is ready again');
      expect((await trigger()).status).toBe(200);
    },
    90_000,
  );
});
