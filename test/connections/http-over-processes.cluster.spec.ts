import { afterAll, beforeAll, expect, it } from 'vitest';
import { app, TestCluster } from '../support/cluster.js';
import { HttpClient, httpWays } from '../support/http-client.js';
import { describePostgres, newPostgresDatabase } from '../support/postgres.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { buildServer } from '../support/server-process.js';
import { until } from '../support/until.js';

let cluster: TestCluster;
const start = async (environment: Readonly<Record<string, string>>): Promise<void> => {
  await buildServer();
  cluster = await TestCluster.start(3, { app: { subscriptionCount: true }, environment });
};

/** Another process with each request. */
function byTurns(): () => number {
  let turn = 0;
  return () => cluster.processes[turn++ % cluster.processes.length]!.port;
}

const countOf = async (channel: string): Promise<unknown> =>
  (await cluster.get(cluster.processes[0]!, `/channels/${channel}`, { info: 'subscription_count' })).subscription_count;

function isOneConnection(): void {
  it.each(httpWays)(
    'is one connection over %s, which sends and receives all in order',
    async (way) => {
      const channel = `private-${way}`;
      const client = await HttpClient.connect(byTurns(), way, app);
      await client.subscribe(channel);
      for (let n = 0; n < 30; n++) await cluster.server(cluster.processes[n % 3]!).trigger(channel, 'numbered', { n });
      const heard = () => client.frames.filter(({ event }) => event === 'numbered');
      await until(() => heard().length >= 30, 'all are heard');
      expect(heard().map(({ data }) => (JSON.parse(data as string) as { n: number }).n)).toEqual(
        Array.from({ length: 30 }, (_, n) => n),
      );
      expect([client.opened, await countOf(channel)]).toEqual([1, 1]);
      client.close();
      await until(async () => (await countOf(channel)) === 0, 'it has left');
    },
    90_000,
  );
}

describeRedis('a client without WebSockets, whose requests reach processes on one Redis by turns', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await TestRedis.start();
    await start({ REDIS_URL: redis.url });
  }, 120_000);
  afterAll(async () => {
    await cluster.stop();
    await redis.stop();
  });

  isOneConnection();
});

describePostgres('a client without WebSockets, whose requests reach processes on one PostgreSQL by turns', () => {
  beforeAll(async () => start({ DATABASE_URL: await newPostgresDatabase() }), 120_000);
  afterAll(() => cluster.stop());

  isOneConnection();
});
