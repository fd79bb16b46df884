import { fanOut } from './hot-paths.mjs';

export const title = 'CPU microseconds of the server for each delivery to 500 subscribers';
export const measures = ['microseconds'];
export const lessIsBetter = true;
export const hotPath = ['bench/rows/delivery-cost.mjs', ...fanOut];

/** Seconds. At 40 triggers a second, a server's code is compiled only after some dozens of them. */
const warmUp = 3;
const bytes = 100;

/**
 * At a pace that all servers keep, where each event is a write of its own, and as fast as triggers are answered, where
 * ours joins what waits. `--uws` also measures uWebSockets.js: the folder of one of its builds.
 */
export async function* run({ quick, seconds, uws, beside, withServer, skip }) {
  if (!uws) skip('uWebSockets.js: name the folder of a build for this Node with `--uws`');
  const lasts = quick ? seconds : 5 * seconds;
  for (const server of ['rookery', ...beside('ws', 'socketIo', ...(uws ? ['uws'] : []))])
    yield* withServer(server, async function* (started, client) {
      await client.ask('connect', { ...started.target, count: 500, channel: 'bench' });
      const load = { channels: { names: ['bench'] }, bytes, inFlight: 8, seconds: lasts };
      for (const [name, pace] of [
        ['40 triggers a second', { rate: 40, warmUp }],
        ['8 triggers in flight', {}],
      ]) {
        const result = await client.measure(started, 'load', { ...load, ...pace });
        const microseconds = (1e6 * result.serverCpuSeconds) / (result.messagesPerSecond * result.seconds);
        yield { case: name, ...result, microseconds };
      }
    });
}
