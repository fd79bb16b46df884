import { fanOut } from './hot-paths.mjs';

export const title = 'Fan-out: one channel, deliveries a second';
export const measures = ['messagesPerSecond'];
export const hotPath = ['bench/rows/fan-out.mjs', ...fanOut];

/** Every size of channel, payload and number of triggers in flight, on Rookery and beside it. */
export async function* run({ quick, docs, seconds, beside, withServer }) {
  const isShort = quick || docs;
  const sizes = docs ? [1, 1000, 10_000] : quick ? [1, 1000] : [1, 100, 1000, 10_000];
  for (const subscribers of sizes)
    for (const server of ['rookery', ...beside('ws', 'socketIo')])
      yield* withServer(server, async function* (started, client) {
        await client.ask('connect', { ...started.target, count: subscribers, channel: 'bench' });
        for (const bytes of isShort ? [100] : [100, 1024])
          for (const inFlight of isShort ? [1, 8] : [1, 8, 32]) {
            const load = { channels: { names: ['bench'] }, bytes, inFlight, seconds };
            const result = await client.measure(started, 'load', load);
            yield { case: `${subscribers} subscribers, ${bytes} B, ${inFlight} in flight`, ...result };
          }
      });
}
