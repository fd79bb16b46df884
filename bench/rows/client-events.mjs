export const title = 'Client events: 1,000 connections on 100 private channels, 9 events a second each, milliseconds';
export const measures = ['p50', 'p99', 'messagesPerSecond'];
export const lessIsBetter = true;

export async function* run({ seconds, beside, withServer }) {
  for (const server of ['rookery', ...beside('ws', 'socketIo')])
    yield* withServer(server, async function* (started, client) {
      const where = { count: 1000, channel: 'private-bench', channels: 100 };
      await client.ask('connect', { ...started.target, ...where });
      const { latency, ...result } = await client.measure(started, 'clientEvents', { seconds, perSecond: 9 });
      yield { case: '81,000 deliveries a second', ...latency, ...result };
    });
}
