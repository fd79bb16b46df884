export const title = 'Ping to pong of other sockets during a broadcast, milliseconds';
export const measures = ['p50', 'p99'];
export const lessIsBetter = true;

export async function* run({ quick, seconds, beside, withServer }) {
  const subscribers = quick ? 1000 : 10_000;
  for (const server of ['rookery', ...beside('ws')])
    yield* withServer(server, async function* (started, client, newClient) {
      await client.ask('connect', { ...started.target, count: subscribers, channel: 'bench' });
      const other = newClient();
      await other.ask('connect', { ...started.target, count: 20 });
      const long = seconds + 1;
      const load = { channels: { names: ['bench'] }, bytes: 100, inFlight: 8, seconds: long };
      const [{ latency }, result] = await Promise.all([
        other.ask('pings', { seconds: long, perSecond: 200 }),
        client.measure(started, 'load', load),
      ]);
      yield { case: `${subscribers} subscribers, 8 in flight`, ...latency, ...result };
    });
}
