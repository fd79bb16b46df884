import { fanOut } from './hot-paths.mjs';

export const title = 'Compression: CPU microseconds and bytes for each delivery of JSON to 1,000 subscribers';
export const measures = ['microseconds', 'bytesEach'];
export const lessIsBetter = true;
export const hotPath = ['bench/rows/compression.mjs', ...fanOut];

/** What browsers offer. */
const offer = 'permessage-deflate; client_max_window_bits';

/** The same events to clients that offer compression, and to clients that do not. */
export async function* run({ seconds, withServer }) {
  for (const [name, offered] of [
    ['plain', undefined],
    ['compressed', offer],
  ])
    yield* withServer('rookery', async function* (started, client) {
      await client.ask('connect', { ...started.target, count: 1000, channel: 'bench', offer: offered });
      for (const [size, bytes] of [
        ['1 kB', 1000],
        ['10 kB', 9500],
      ]) {
        const load = { channels: { names: ['bench'] }, bytes, json: true, inFlight: 1, seconds };
        const result = await client.measure(started, 'load', load);
        const microseconds = (1e6 * result.serverCpuSeconds) / (result.messagesPerSecond * result.seconds);
        yield { case: `${size}, ${name}`, ...result, microseconds, bytesEach: result.bytesPerMessage };
      }
    });
}
