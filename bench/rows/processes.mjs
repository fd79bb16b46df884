import { setTimeout as delay } from 'node:timers/promises';
import { startRedis } from '../redis.mjs';
import { fanOut, redis, triggers } from './hot-paths.mjs';

export const title =
  'One server as several processes: CPU microseconds and writes of all of them, for each delivery or trigger';
export const measures = ['microseconds', 'writesEach', 'redisMicroseconds', 'perSecond', 'idleMs'];
export const lessIsBetter = true;
export const hotPath = ['bench/rows/processes.mjs', ...fanOut, ...triggers, ...redis];
/** Each takes two minutes. */
export const docsRuns = 1;

const inEach = 1000;
const rounds = 10;
/** At most as many parts of as many triggers, until one costs hardly less than the one before: all is compiled then. */
const warming = { parts: 6, triggers: 5000, least: 0.95 };

/**
 * As many subscribers in each process; all triggers come to one of them, or to the workers' shared port. They come at
 * the same rate in all cases: a delivery costs a write, which carries all that came while the round before was written.
 * Were triggers sent as fast as they are answered, this row would compare how fast answers are.
 */
export async function* run({ quick, docs, seconds, withServers }) {
  for (const count of quick ? [1, 2] : [1, 2, 4])
    yield* withServers([{ WORKERS: String(count) }], (servers, client) =>
      loads(`WORKERS=${count}`, { servers, client, seconds, subscribers: count * inEach, triggered: count }),
    );
  for (const count of quick ? [1, 2] : docs ? [1, 2, 8] : [1, 2, 4, 8]) {
    const redis = await startRedis();
    const environments = Array.from({ length: count }, () => ({ REDIS_URL: redis.url }));
    const name = `Redis, ${count} ${count === 1 ? 'process' : 'processes'}`;
    yield* withServers(environments, (servers, client) =>
      loads(name, { servers, client, redis, seconds, subscribers: inEach, triggered: 1 }),
    );
    await redis.stop();
  }
}

async function* loads(name, { servers, client, redis, seconds, subscribers, triggered }) {
  for (const { target } of servers.toReversed())
    await client.ask('connect', { ...target, count: subscribers, channel: 'bench' });
  for (const together of [1, 8]) {
    const load = { channels: { names: ['bench'] }, inFlight: 4 * together, rate: rounds, together, warmUp: 2 };
    const result = await measured(servers, redis, client, { ...load, seconds: 2 * seconds });
    const what = `${name}: delivery, ${together} ${together === 1 ? 'trigger' : 'triggers'} at a time`;
    yield { case: what, ...costs(result, result.messagesPerSecond) };
  }
  // As many in flight in each process: the more there are, the more of them share a turn of its event loop.
  const empty = { channels: { names: ['empty'] }, inFlight: 32 * triggered };
  await warmUp(servers, client, { ...empty, bytes: 100, count: triggered * warming.triggers });
  const idle = await idleCpu(servers, seconds);
  const { serverCpuSeconds, ...result } = await measured(servers, redis, client, { ...empty, seconds });
  // What processes with open connections need without triggers is not the trigger's, and grows with their number.
  const own = { ...result, serverCpuSeconds: serverCpuSeconds - idle * result.seconds };
  const cost = costs(own, result.answersPerSecond);
  yield { case: `${name}: trigger without subscribers`, ...cost, idleMs: 1000 * idle };
}

async function warmUp(servers, client, part) {
  let last = Infinity;
  for (let at = 0; at < warming.parts; at++) {
    const before = cpuSecondsOf(servers);
    await client.ask('publish', part);
    const cost = cpuSecondsOf(servers) - before;
    if (cost > warming.least * last) return;
    last = cost;
  }
}

/** CPU seconds of all processes in a second without triggers. */
async function idleCpu(servers, seconds) {
  const before = cpuSecondsOf(servers);
  await delay(1000 * seconds);
  return (cpuSecondsOf(servers) - before) / seconds;
}

const cpuSecondsOf = (servers) => servers.reduce((sum, server) => sum + server.sample().cpuSeconds, 0);

/** With what all processes used while the load was counted. */
async function measured(servers, redis, client, load) {
  const samples = [];
  client.onMeasuring = () =>
    samples.push({ servers: servers.map((server) => server.sample()), redis: redis?.cpuSeconds() ?? 0 });
  const result = await client.ask('load', { bytes: 100, ...load });
  const [from, to] = samples;
  const used = (name) => to.servers.reduce((sum, sample, at) => sum + sample[name] - from.servers[at][name], 0);
  return {
    ...result,
    serverCpuSeconds: used('cpuSeconds'),
    writes: used('writes'),
    redisCpuSeconds: to.redis - from.redis,
  };
}

function costs({ serverCpuSeconds, writes, redisCpuSeconds, seconds, clientCpu, closed }, perSecond) {
  const count = perSecond * seconds;
  const redis = redisCpuSeconds > 0 ? { redisMicroseconds: (1e6 * redisCpuSeconds) / count } : {};
  const each = { microseconds: (1e6 * serverCpuSeconds) / count, writesEach: writes / count, ...redis };
  return { ...each, perSecond, serverCpuSeconds, seconds, clientCpu, closed };
}
