import { startRedis } from '../redis.mjs';
import { fanOut, redis, sessions, subscriptions } from './hot-paths.mjs';

export const title =
  'Jitter: connections break every 13 to 17 s, for 2 s, while 120 events come at 2 a second; the share that arrived, %';
export const isLong = true;
export const measures = [
  'delivered',
  'doubles',
  'doublesLeft',
  'replayP50Ms',
  'replayP99Ms',
  'liveP99Ms',
  'reconnections',
];
export const hotPath = ['bench/rows/jitter.mjs', ...subscriptions, ...fanOut, ...sessions, ...redis];
export const columns = {
  delivered: 'Delivered, %',
  doublesLeft: 'Duplicates',
  doubles: 'Duplicates dropped',
  replayP50Ms: 'Replay p50, ms',
  replayP99Ms: 'Replay p99, ms',
  liveP99Ms: 'Live p99, ms',
  reconnections: 'Reconnections',
  serverCpuSeconds: 'Server CPU, s',
  redisCpuSeconds: 'Redis CPU, s',
  clientCpuSeconds: 'Client CPU, s',
};

const load = { channel: 'kept', events: 120, perSecond: 2 };

/**
 * Each client has a session of its own, as pusher-js has with `wsPath`; those of the references begin anew. `doubles` are
 * those that `withoutDoubles` of @rookery/client drops, `doublesLeft` the others.
 */
export async function* run({ quick, clients, beside, withServer, withServers }) {
  const count = clients ?? (quick ? 500 : 10_000);
  for (const name of ['rookery', ...beside('socketIo', 'ws')])
    yield* withServer(name, async function* (started, client) {
      yield { case: `${count} clients`, ...(await jitter([started], client, count)) };
    });
  const redis = await startRedis();
  const environments = Array.from({ length: 3 }, () => ({ REDIS_URL: redis.url }));
  yield* withServers(environments, async function* (servers, client) {
    yield { case: `${count} clients, three processes on Redis`, ...(await jitter(servers, client, count, redis)) };
  });
  await redis.stop();
}

/** The CPU time is that of the whole case: connections, live events and replays. */
async function jitter(servers, client, count, redis) {
  const [{ target }] = servers;
  const targets = servers.map(({ where }) => where);
  const from = servers.map((server) => server.sample());
  const redisBefore = redis?.cpuSeconds();
  const { wanted, got, doubles, doublesLeft, reconnections, replays, live, cpuSeconds } = await client.ask('jitter', {
    ...load,
    ...target,
    targets,
    count,
  });
  const cpu = servers.map((server, at) => server.between(from[at], server.sample()).serverCpuSeconds);
  return {
    delivered: (100 * got) / wanted,
    missing: wanted - got,
    doubles,
    doublesLeft,
    reconnections,
    replayP50Ms: replays.p50,
    replayP99Ms: replays.p99,
    liveP99Ms: live.p99,
    serverCpuSeconds: cpu.reduce((sum, each) => sum + each, 0),
    ...(redis && { redisCpuSeconds: redis.cpuSeconds() - redisBefore }),
    clientCpuSeconds: cpuSeconds,
    replayed: replays.count,
  };
}
