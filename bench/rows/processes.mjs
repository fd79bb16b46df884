import { startRedis } from '../redis.mjs';

export const title = 'One server as several processes: CPU microseconds of all of them, for each delivery or trigger';
export const measures = ['microseconds', 'redisMicroseconds', 'perSecond'];
export const lessIsBetter = true;

const inEach = 1000;

/** As many subscribers in each process; all triggers come to one of them, or to the workers' shared port. */
export async function* run({ quick, seconds, withServers }) {
  for (const count of quick ? [1, 2] : [1, 2, 4])
    yield* withServers([{ WORKERS: String(count) }], (servers, client) =>
      loads(`WORKERS=${count}`, { servers, client, seconds, subscribers: count * inEach }),
    );
  for (const count of quick ? [1, 2] : [1, 2, 4, 8]) {
    const redis = await startRedis();
    const environments = Array.from({ length: count }, () => ({ REDIS_URL: redis.url }));
    const name = `Redis, ${count} ${count === 1 ? 'process' : 'processes'}`;
    yield* withServers(environments, (servers, client) =>
      loads(name, { servers, client, redis, seconds, subscribers: inEach }),
    );
    await redis.stop();
  }
}

/** Triggers come last: by then, the servers have compiled what they need. */
async function* loads(name, { servers, client, redis, seconds, subscribers }) {
  for (const { target } of servers.toReversed())
    await client.ask('connect', { ...target, count: subscribers, channel: 'bench' });
  for (const inFlight of [1, 8]) {
    const result = await measured(servers, redis, client, { channels: { names: ['bench'] }, inFlight, seconds });
    yield { case: `${name}: delivery, ${inFlight} in flight`, ...costs(result, result.messagesPerSecond) };
  }
  const result = await measured(servers, redis, client, { channels: { names: ['empty'] }, inFlight: 32, seconds });
  yield { case: `${name}: trigger without subscribers`, ...costs(result, result.answersPerSecond) };
}

/** With the CPU time of all processes while the load is counted. */
async function measured(servers, redis, client, load) {
  const cpuSeconds = () => servers.reduce((sum, server) => sum + server.sample().cpuSeconds, 0);
  const all = () => ({ servers: cpuSeconds(), redis: redis?.cpuSeconds() ?? 0 });
  const samples = [];
  client.onMeasuring = () => samples.push(all());
  const result = await client.ask('load', { bytes: 100, warmUp: 1, ...load });
  const [from, to] = samples;
  return { ...result, serverCpuSeconds: to.servers - from.servers, redisCpuSeconds: to.redis - from.redis };
}

function costs({ serverCpuSeconds, redisCpuSeconds, seconds, clientCpu, closed }, perSecond) {
  const each = (cpuSeconds) => (1e6 * cpuSeconds) / (perSecond * seconds);
  const redis = redisCpuSeconds > 0 ? { redisMicroseconds: each(redisCpuSeconds) } : {};
  return { microseconds: each(serverCpuSeconds), ...redis, perSecond, serverCpuSeconds, seconds, clientCpu, closed };
}
