import type { PresenceChannel } from 'pusher-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { subscribed, TestCluster } from '../support/cluster.js';
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
      app: { clientEvents: true },
      file: { redis: { heartbeatSeconds: 0.3, leaseSeconds: 1, outageSeconds: 4, commandTimeoutSeconds: 1 } },
    });
  }, 180_000);
  afterAll(async () => {
    await cluster.stop();
    await redis.stop();
  });

  const statusOf = async (path: string): Promise<number> => (await fetch(`${cluster.processes[0]!.url}${path}`)).status;

  it('clients stay, what needs it waits or is refused, and all goes on by itself with one that remembers nothing', async () => {
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

    await redis.kill();
    const isRefused = () =>
      cluster
        .server(one!)
        .trigger('news', 'e', 1)
        .then(
          () => false,
          ({ status }: { status: number }) => status === 503,
        );
    await until(isRefused, 'a trigger is refused');
    const heard: unknown[] = [];
    rooms[2]!.bind('client-hello', (data: unknown) => heard.push(data));
    rooms[0]!.trigger('client-hello', { from: 'alice' });
    await until(() => heard.length > 0, 'who is on the same process hears it all the same');
    const late = alice.subscribe('late');
    expect(await statusOf('/health/ready')).toBe(200);

    await redis.start();
    await until(() => late.subscribed, 'who waited is answered', 15_000);
    const news: number[] = [];
    (await subscribed(bob, 'again')).bind('e', (n: number) => news.push(n));
    await cluster.server(one!).trigger('again', 'e', 7);
    await until(() => news.includes(7), 'events are carried again');
    const users = async () => (await cluster.get(two!, '/channels/presence-room/users')).users as unknown[];
    await until(async () => (await users()).length === 3, 'all members are there again', 15_000);
    expect(told).toEqual([]);
    expect(states).toEqual([]);
    for (const { members } of rooms) expect(members.count).toBe(3);
  }, 60_000);

  it('for longer than it may be, the processes are not ready, until it is back', async () => {
    redis.pause();
    await until(async () => (await statusOf('/health/ready')) === 503, 'it is not ready any more', 15_000);
    expect(await (await fetch(`${cluster.processes[0]!.url}/health/ready`)).json()).toEqual({
      status: 'Redis is away',
    });
    expect(await statusOf('/health/live')).toBe(200);
    const metrics = await (await fetch(`${cluster.processes[0]!.url}/metrics`)).text();
    expect(Number(/^rookery_redis_away_seconds (\S+)/m.exec(metrics)?.[1])).toBeGreaterThan(2);
    redis.resume();
    await until(async () => (await statusOf('/health/ready')) === 200, 'it is ready again', 15_000);
    expect((await cluster.server(cluster.processes[0]!).trigger('news', 'e', 1)).status).toBe(200);
  }, 60_000);
});
