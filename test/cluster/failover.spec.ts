import type { PresenceChannel } from 'pusher-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { subscribed, TestCluster } from '../support/cluster.js';
import { TestRedisCluster } from '../support/redis-cluster.js';
import { describeRedis } from '../support/redis.js';
import { TestRedisSentinels } from '../support/redis-sentinels.js';
import { buildServer } from '../support/server-process.js';
import { until } from '../support/until.js';

const file = { redis: { heartbeatSeconds: 0.3, leaseSeconds: 3, commandTimeoutSeconds: 1 } };

describeRedis('with sentinels', () => {
  let redis: TestRedisSentinels;
  let cluster: TestCluster;
  beforeAll(async () => {
    await buildServer();
    redis = await TestRedisSentinels.start();
    cluster = await TestCluster.start(2, { redisUrl: redis.url, file });
  }, 180_000);
  afterAll(async () => {
    await cluster.stop();
    await redis.stop();
  });

  it('processes go on with the replica when the master fails, and nobody hears of it', async () => {
    const [one, two] = cluster.processes;
    const clients = await Promise.all(
      [one!, two!].map((server, i) => cluster.client(server, { user_id: `user-${i}` })),
    );
    const rooms = (await Promise.all(
      clients.map((client) => subscribed(client, 'presence-room')),
    )) as PresenceChannel[];
    await until(() => rooms.every(({ members }) => members.count === 2), 'both see both');
    const told: string[] = [];
    for (const room of rooms)
      for (const name of ['pusher:member_added', 'pusher:member_removed']) room.bind(name, () => told.push(name));

    await redis.master.kill();
    const trigger = () =>
      cluster
        .server(one!)
        .trigger('presence-room', 'e', 1)
        .then(
          ({ status }) => status === 200,
          () => false,
        );
    await until(trigger, 'the replica is the master', 30_000);
    const heard: number[] = [];
    for (const room of rooms) room.bind('e', (n: number) => heard.push(n));
    await until(
      async () => {
        await cluster
          .server(two!)
          .trigger('presence-room', 'e', 2)
          .catch(() => undefined);
        return heard.length >= 2;
      },
      'both hear again',
      20_000,
    );
    const users = async () => (await cluster.get(two!, '/channels/presence-room/users')).users as unknown[];
    await until(async () => (await users()).length === 2, 'both are present');
    expect(told).toEqual([]);
  }, 90_000);
});

describeRedis('with a Redis Cluster', () => {
  let redis: TestRedisCluster;
  let cluster: TestCluster;
  beforeAll(async () => {
    await buildServer();
    redis = await TestRedisCluster.start();
    cluster = await TestCluster.start(2, { redisUrl: redis.url, file });
  }, 180_000);
  afterAll(async () => {
    await cluster.stop();
    await redis.stop();
  });

  it('channels are spread over all its nodes, and every process hears of all of them', async () => {
    const [one, two] = cluster.processes;
    const client = await cluster.client(one!);
    const heard = new Set<string>();
    const names = Array.from({ length: 60 }, (_, n) => `news-${n}`);
    for (const name of names) (await subscribed(client, name)).bind('e', () => heard.add(name));
    for (const name of names) await cluster.server(two!).trigger(name, 'e', 1);
    await until(() => heard.size === 60, 'all are heard');
    const topics = await Promise.all(redis.nodes.map((node) => node.command('PUBSUB', 'SHARDCHANNELS', '*')));
    for (const each of topics) expect((each as unknown[]).length).toBeGreaterThan(5);
    const { channels } = await cluster.get(two!, '/channels', { filter_by_prefix: 'news-' });
    expect(Object.keys(channels)).toHaveLength(60);
  }, 60_000);
});
