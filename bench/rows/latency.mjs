import { Client } from '../load/client.mjs';
import { floor } from '../servers.mjs';
import { fanOut } from './hot-paths.mjs';

export const title = 'Paced: 20 triggers a second to 1,000 subscribers, milliseconds end to end';
export const measures = ['p99', 'p99OfFloor', 'p50', 'p999'];
export const lessIsBetter = true;
export const hotPath = ['bench/rows/latency.mjs', ...fanOut];

const subscribers = 1000;
const rate = 20;
const bytes = 100;
/** Seconds. At 20 triggers a second, a server's code is compiled only after some dozens of them. */
const warmUp = 3;
const name = '20,000 deliveries a second';

/**
 * Beside a bare loop of `ws`, and with `--floor` beside a program that does nothing but send; `p99OfFloor` is p99 as a
 * multiple of the program's. It accepts `--port --payload --rate`, answers a client's first frame with a text that
 * contains `subscription_succeeded`, and after SIGUSR2 sends frames with `\\"t\\":<nanoseconds of CLOCK_MONOTONIC>`.
 */
export async function* run({ quick, seconds, floor: file, beside, withServer, skip }) {
  // p99 is that of the slowest triggers: 200 of them, so that it is not one bad moment.
  const lasts = quick ? seconds : 10 * seconds;
  const least = file && (await ofFloor(file, lasts));
  if (least) yield least;
  else skip('the latency of a program that only sends: name one with `--floor`');
  for (const server of ['rookery', ...beside('ws', 'socketIo')])
    yield* withServer(server, async function* (started, client) {
      await client.ask('connect', { ...started.target, count: subscribers, channel: 'bench' });
      const load = { channels: { names: ['bench'] }, bytes, inFlight: 8, rate, sample: true, warmUp };
      const { latency, ...result } = await client.measure(started, 'load', { ...load, seconds: lasts });
      yield { case: name, ...latency, ...(least && { p99OfFloor: latency.p99 / least.p99 }), ...result };
    });
}

async function ofFloor(file, seconds) {
  const server = await floor(file, { bytes, rate });
  const client = new Client();
  try {
    await client.ask('connect', { ...server.target, count: subscribers });
    server.child.kill('SIGUSR2');
    const { latency, ...result } = await client.measure(server, 'listen', { seconds, warmUp });
    return { case: name, server: server.name, ...latency, ...result };
  } finally {
    client.stop();
    await server.stop();
  }
}
