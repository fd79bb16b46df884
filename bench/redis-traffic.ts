// What a trigger costs Redis as processes are added: commands and bytes, for a channel with a subscriber on one process;
// and how many one Redis and a Redis Cluster of three nodes carry in a second of their CPU time, over many channels.
// node --import ./bench/support/typescript.mjs bench/redis-traffic.ts
import { settingsOf } from '#common';
import { RedisBroker, RedisConnection, RedisSettings } from 'rookery/redis';
import { TestRedis } from '../test/support/redis.js';
import { TestRedisCluster } from '../test/support/redis-cluster.js';
import { until } from '../test/support/until.js';

const triggers = 2000;
const event = {
  kind: 'event',
  appId: 'app',
  channel: 'news',
  text: JSON.stringify({ event: 'e', data: 'x'.repeat(100) }),
} as const;

/** What Redis has done so far: scripts that were called, and bytes in and out. */
async function stats(redis: TestRedis): Promise<{ scripts: number; bytes: number }> {
  const info = `${String(await redis.command('INFO', 'commandstats'))}\n${String(await redis.command('INFO', 'stats'))}`;
  const sum = (pattern: RegExp): number =>
    Array.from(info.matchAll(pattern), ([, count]) => Number(count)).reduce((all, count) => all + count, 0);
  return {
    scripts: sum(/cmdstat_eval(?:sha)?:calls=(\d+)/g),
    bytes: sum(/total_net_(?:in|out)put_bytes:(\d+)/g),
  };
}

async function measure(processes: number): Promise<void> {
  const redis = await TestRedis.start();
  const settings = settingsOf(RedisSettings, { url: redis.url, heartbeatSeconds: 3600, leaseSeconds: 7200 });
  const connections = await Promise.all(Array.from({ length: processes }, () => RedisConnection.open(settings)));
  let heard = 0;
  const brokers = connections.map((connection) => new RedisBroker(connection));
  for (const broker of brokers) broker.receive({ message: () => void heard++, lost: () => {} });
  // Each has channels of its own besides.
  for (const [i, broker] of brokers.entries()) await broker.subscribe('app', `own-${i}`);
  await brokers[0]!.subscribe('app', 'news');
  await brokers.at(-1)!.publish(event);
  const before = await stats(redis);
  for (let n = 0; n < triggers; n++) await brokers.at(-1)!.publish(event);
  await until(() => heard === triggers + 1, 'all are heard');
  const after = await stats(redis);
  const each = (count: number): string => (count / triggers).toFixed(2);
  const bytes = Math.round((after.bytes - before.bytes) / triggers);
  process.stdout.write(`| ${processes} | ${each(after.scripts - before.scripts)} | ${bytes} |\n`);
  for (const broker of brokers) broker.onApplicationShutdown();
  for (const connection of connections) connection.close();
  await redis.stop();
}

const cpuSeconds = async (node: TestRedis): Promise<number> =>
  Array.from(String(await node.command('INFO', 'cpu')).matchAll(/used_cpu_(?:sys|user):([\d.]+)/g)).reduce(
    (all, [, seconds]) => all + Number(seconds),
    0,
  );

/** How many triggers are carried until the busiest node has spent a second of its CPU time; they come by the hundred. */
async function carried(redis: TestRedis | TestRedisCluster): Promise<number> {
  const nodes = redis instanceof TestRedis ? [redis] : redis.nodes;
  const connection = await RedisConnection.open(
    settingsOf(RedisSettings, { url: redis.url, heartbeatSeconds: 3600, leaseSeconds: 7200 }),
  );
  const broker = new RedisBroker(connection);
  broker.receive({ message: () => {}, lost: () => {} });
  const names = Array.from({ length: 300 }, (_, n) => `news-${n}`);
  for (const name of names) await broker.subscribe('app', name);
  const before = await Promise.all(nodes.map(cpuSeconds));
  for (let n = 0; n < 300; n++)
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => broker.publish({ ...event, channel: names[(100 * n + i) % 300]! })),
    );
  const after = await Promise.all(nodes.map(cpuSeconds));
  broker.onApplicationShutdown();
  connection.close();
  await redis.stop();
  return 30_000 / Math.max(...after.map((seconds, i) => seconds - before[i]!));
}

process.stdout.write('| processes | commands a trigger | bytes a trigger |\n| --- | --- | --- |\n');
for (const processes of [1, 2, 4, 8]) await measure(processes);
const [one, three] = [await carried(await TestRedis.start()), await carried(await TestRedisCluster.start())];
process.stdout.write(`\n${Math.round(one)} triggers in a second of the CPU time of one Redis\n`);
process.stdout.write(`${Math.round(three)} by a cluster of three nodes until the busiest has spent a second\n`);
process.exit(0);
