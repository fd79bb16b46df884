// What processes on one Redis carry together, on one machine: events that are delivered in a second, and in a second of
// their CPU time; and how long a process that was killed is remembered.
//   npm run build && node --import ./bench/support/typescript.mjs bench/redis-scale-out.ts [1 2 3]
// SUBSCRIBERS (999) is how many there are in all, on one channel; each process triggers SECONDS (3) long, one at a time.
import { TestCluster } from '../test/support/cluster.js';
import { TestRedis } from '../test/support/redis.js';
import { until } from '../test/support/until.js';
import { Client } from './load/client.mjs';
import { usageOf } from './machine.mjs';

const subscribers = Number(process.env.SUBSCRIBERS ?? 999);
const seconds = Number(process.env.SECONDS ?? 3);
const app = { id: 'app', key: 'app-key', secret: 'app-secret' };
const asked = process.argv.slice(2).map(Number);

/** As `TestCluster` has them, with what is the default of a server. */
const redis = await TestRedis.start();
const cluster = await TestCluster.start(0, { redisUrl: redis.url });

async function deliveries(count: number): Promise<void> {
  while (cluster.processes.length < count) await cluster.add();
  const clients = cluster.processes.map(() => new Client());
  await Promise.all(
    cluster.processes.map(({ port }, i) =>
      clients[i]!.ask('connect', {
        where: { host: '127.0.0.1', port },
        dialect: 'pusher',
        app,
        count: Math.round(subscribers / count),
        channel: 'bench',
      }),
    ),
  );
  const cpuSeconds = () => cluster.processes.reduce((sum, { pid }) => sum + usageOf(pid).cpuSeconds, 0);
  const before = cpuSeconds();
  const load = { channels: { names: ['bench'] }, bytes: 100, inFlight: 1, seconds };
  const results = await Promise.all(clients.map((client) => client.ask('load', load)));
  const cpu = cpuSeconds() - before;
  const perSecond = results.reduce((sum, { messagesPerSecond }) => sum + messagesPerSecond, 0);
  // The load lasts a little longer than what is counted of it: 0.3 seconds before it.
  const perCpuSecond = (perSecond * (seconds + 0.3)) / cpu;
  process.stdout.write(`| ${count} | ${rounded(perSecond)} | ${rounded(perCpuSecond)} |\n`);
  for (const client of clients) client.stop();
}

/** Seconds until the others know that a process is dead, by the defaults for heartbeats and leases. */
async function remembered(): Promise<number> {
  while (cluster.processes.length < 2) await cluster.add();
  const [watching] = cluster.processes;
  const killed = cluster.processes.at(-1)!;
  const client = await cluster.client(killed, { user_id: 'gone' });
  const room = client.subscribe('presence-room');
  await until(() => room.subscribed, 'they are on the channel', 30_000);
  client.connection.bind('state_change', () => client.disconnect());
  const count = async () =>
    (await cluster.get(watching!, '/channels/presence-room', { info: 'user_count' })).user_count as number;
  const from = performance.now();
  await killed.kill();
  cluster.processes.pop();
  await until(async () => (await count()) === 0, 'they are gone', 60_000);
  return (performance.now() - from) / 1000;
}

const rounded = (figure: number): string => (Math.round(figure / 1000) * 1000).toLocaleString('en');

process.stdout.write('| processes | deliveries a second | in a second of their CPU time |\n| --- | --- | --- |\n');
for (const count of asked.length > 0 ? asked : [1, 2, 3]) await deliveries(count);
const times = [];
for (let n = 0; n < 3; n++) times.push((await remembered()).toFixed(1));
process.stdout.write(`\nA process that was killed was forgotten after ${times.join(', ')} seconds\n`);
await cluster.stop();
await redis.stop();
process.exit(0);
