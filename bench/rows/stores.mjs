import { Client } from '../load/client.mjs';
import { startPostgres } from '../postgres.mjs';
import { startRedis } from '../redis.mjs';
import { fanOut, redis, subscriptions, triggers } from './hot-paths.mjs';

export const title =
  'Processes on PostgreSQL beside Redis, all on one core: joins, triggers and deliveries, with the CPU microseconds of processes and store for each';
export const isLong = true;
export const measures = ['perSecond', 'microseconds', 'storeMicroseconds', 'p50Ms', 'p99Ms'];
export const hotPath = [
  'bench/rows/stores.mjs',
  ...fanOut,
  ...triggers,
  ...subscriptions,
  ...redis,
  'libs/typeorm/src/cluster',
];

const inRoom = 100;
const rate = 200;

/** @type {readonly (readonly [name: string, start: () => Promise<any>, environment: (store: any) => object])[]} */
const stores = [
  ['PostgreSQL', startPostgres, ({ url }) => ({ DATABASE_URL: url })],
  ['Redis', startRedis, ({ url }) => ({ REDIS_URL: url })],
];

/** Each process has a load client: all join, and trigger, at the same time. */
export async function* run({ quick, seconds, withServers }) {
  for (const count of quick ? [1, 2] : [1, 2, 4])
    for (const [name, start, environment] of stores) {
      const store = await start();
      const environments = Array.from({ length: count }, () => environment(store));
      const what = `${name}, ${count} ${count === 1 ? 'process' : 'processes'}`;
      yield* withServers(environments, (servers) => loads(what, { store, servers, seconds, quick }));
      await store.stop();
    }
}

async function* loads(name, { store, servers, seconds, quick }) {
  const clients = servers.map(() => new Client());
  const all = (command, options) =>
    Promise.all(clients.map((client, n) => client.ask(command, { ...servers[n].target, ...options })));
  const cpu = () => ({
    servers: servers.reduce((sum, server) => sum + server.sample().cpuSeconds, 0),
    store: store.cpuSeconds(),
  });
  /** With what all used meanwhile, for each of what was counted. */
  async function costing(work) {
    const from = cpu();
    const began = performance.now();
    const count = await work();
    const took = (performance.now() - began) / 1000;
    const to = cpu();
    return {
      perSecond: count / took,
      microseconds: (1e6 * (to.servers - from.servers)) / count,
      storeMicroseconds: (1e6 * (to.store - from.store)) / count,
    };
  }
  try {
    const joins = quick ? 1000 : 4000;
    const join = (channel, total) => () =>
      all('connect', { count: total / servers.length, channel, channels: total / inRoom }).then(() => total);
    await costing(join('presence-warm', joins));
    yield { case: `${name}: joins of presence channels`, ...(await costing(join('presence-bench', joins))) };
    await all('close');

    await all('connect', { count: 1, channel: 'bench' });
    const load = { channels: { names: ['bench'] }, bytes: 100, inFlight: 32, warmUp: 0 };
    const publish = async (during) => {
      const results = await all('load', { ...load, seconds: during });
      return results.reduce((sum, { answersPerSecond, seconds: took }) => sum + answersPerSecond * took, 0);
    };
    await publish(2 * seconds);
    yield { case: `${name}: triggers`, ...(await costing(() => publish(2 * seconds))) };

    const [result] = await Promise.all(
      clients.map((client, n) =>
        client.ask('load', {
          ...load,
          seconds: 5 * seconds,
          rate: n === 0 ? rate : 1,
          together: 1,
          sample: true,
          warmUp: 1,
        }),
      ),
    );
    const { p50, p99 } = result.latency;
    yield {
      case: `${name}: deliveries of ${rate} triggers a second`,
      perSecond: result.messagesPerSecond,
      p50Ms: p50,
      p99Ms: p99,
    };
  } finally {
    for (const client of clients) client.stop();
  }
}
