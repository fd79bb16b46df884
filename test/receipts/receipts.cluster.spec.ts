import { beforeAll, describe, expect, it } from 'vitest';
import { type ClusterSettings, subscribed, TestCluster } from '../support/cluster.js';
import { describePostgres, newPostgresDatabase } from '../support/postgres.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { buildServer, type ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

const channel = 'presence-room';

beforeAll(() => buildServer(), 180_000);

/** An event reaches users on all processes; each process then answers who they are. */
async function askEverywhere(cluster: TestCluster, servers: readonly ServerProcess[]): Promise<string> {
  for (const [number, server] of servers.entries()) {
    const client = await cluster.client(server, { user_id: `user ${number}` });
    await subscribed(client, channel);
  }
  const answer = await cluster.server(servers[0]!).trigger(channel, 'message', {}, { info: 'receipts' });
  const { channels } = (await answer.json()) as { channels: Record<string, { receipts: string }> };
  const { receipts } = channels[channel]!;
  const all = servers.map((_, number) => `user ${number}`);
  for (const server of servers)
    await until(async () => (await usersOf(cluster, server, receipts)).join() === all.join(), 'all are known');
  return receipts;
}

async function usersOf(cluster: TestCluster, server: ServerProcess, receipt: string): Promise<string[]> {
  const answer = await cluster.server(server).get({ path: `/receipts/${receipt}` });
  return ((await answer.json()) as { receipts: { user_id: string }[] }).receipts.map(({ user_id }) => user_id);
}

async function running(settings: ClusterSettings, count: number, use: (cluster: TestCluster) => Promise<void>) {
  const cluster = await TestCluster.start(count, settings);
  try {
    await use(cluster);
  } finally {
    await cluster.stop();
  }
}

async function outliveProcess(settings: ClusterSettings): Promise<void> {
  await running(settings, 3, async (cluster) => {
    const receipt = await askEverywhere(cluster, cluster.processes);
    const [first, second, third] = cluster.processes as [ServerProcess, ServerProcess, ServerProcess];
    await third.kill();
    for (const server of [first, second])
      expect(await usersOf(cluster, server, receipt)).toEqual(['user 0', 'user 1', 'user 2']);
  });
}

describeRedis('receipts in Redis', () => {
  it('are known to all processes, also of users whose process has died', async () => {
    const redis = await TestRedis.start();
    await expect(outliveProcess({ redisUrl: redis.url })).resolves.toBeUndefined();
    await redis.stop();
  });
});

describePostgres('receipts in PostgreSQL', () => {
  it('are known to all processes, also of users whose process has died', async () => {
    const environment = { DATABASE_URL: await newPostgresDatabase() };
    await expect(outliveProcess({ environment })).resolves.toBeUndefined();
  });
});

describe('receipts of workers', () => {
  it('are known to all of them', async () => {
    await running({ environment: { WORKERS: '2' } }, 1, async (cluster) => {
      const [server] = cluster.processes as [ServerProcess];
      // Connections are shared out among the workers.
      const clients = Array.from({ length: 8 }, (_, n) => cluster.client(server, { user_id: `worker's ${n}` }));
      for (const client of await Promise.all(clients)) await subscribed(client, channel);
      const answer = await cluster.server(server).trigger(channel, 'message', {}, { info: 'receipts' });
      const { channels } = (await answer.json()) as { channels: Record<string, { receipts: string }> };
      const { receipts } = channels[channel]!;
      await until(async () => (await usersOf(cluster, server, receipts)).length === 8, 'all are known');
    });
  });
});
