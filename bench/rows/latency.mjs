export const title = 'Paced: 20 triggers a second to 1,000 subscribers, milliseconds end to end';
export const measures = ['p50', 'p99', 'p999'];
export const lessIsBetter = true;

export async function* run({ quick, seconds, beside, withServer }) {
  for (const server of ['rookery', ...beside('ws', 'socketIo')])
    yield* withServer(server, async function* (started, client) {
      await client.ask('connect', { ...started.target, count: 1000, channel: 'bench' });
      const load = { channels: { names: ['bench'] }, bytes: 100, inFlight: 8, rate: 20, sample: true };
      const { latency, ...result } = await client.measure(started, 'load', {
        ...load,
        seconds: quick ? seconds : 3 * seconds,
      });
      yield { case: '20,000 deliveries a second', ...latency, ...result };
    });
}
