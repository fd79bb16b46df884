import { bareCommits } from './kept-floor.mjs';
import { forgetting } from './kept-forgetting.mjs';
import { sessions, triggers } from './hot-paths.mjs';

export const title = 'Events of channels with a history, in the embedded database';
/** A run takes a minute. */
export const docsRuns = 1;
export const measures = ['answersPerSecond', 'p50', 'p99', 'ms', 'addedMb', 'longestMs', 'longestCpuMs', 'totalMs'];
export const hotPath = ['bench/rows/kept-events.mjs', ...triggers, ...sessions];

const perChannel = 10_000;

/** `EVENTS=1000000` is the full size, which takes more than a minute. */
export async function* run({ quick, seconds, withServer }) {
  const events = Number(process.env.EVENTS ?? (quick ? 20_000 : 200_000));
  yield* withServer('rookery', async function* (started, client) {
    await client.ask('connect', { ...started.target, count: 0 });
    for (const { how, channel = 'kept', rate } of [
      { how: 'without a history, as fast as answered', channel: 'plain' },
      { how: 'as fast as answered' },
      { how: 'at 15000 a second at most', rate: 15_000 },
    ]) {
      const load = { channels: { names: [channel] }, bytes: 100, inFlight: 32, seconds, warmUp: 1, timed: true, rate };
      const { answers, ...result } = await client.measure(started, 'load', load);
      yield { case: `32 in flight, ${how}`, ...answers, ...result };
    }
  });
  yield* withServer('rookery', async function* (started, client) {
    const { ms } = await client.ask('returns', { ...started.target, channel: 'kept-replay', count: perChannel });
    yield { case: `replay of ${perChannel} to a returning client`, ms };
  });
  yield* withServer('rookery', async function* (started, client) {
    await client.ask('connect', { ...started.target, count: 0 });
    const publish = (channel, count) =>
      client.ask('publish', { channels: { names: [channel], batch: 10 }, bytes: 100, inFlight: 32, count: count / 10 });
    // What the first events need is needed once.
    await publish('kept', 20_000);
    const few = await started.collectedRss();
    for (let n = 0; n < events / perChannel; n++) await publish(`kept-${n}`, perChannel);
    const all = await started.collectedRss();
    yield { case: `memory of ${events} kept events`, addedMb: (all - few) / 2 ** 20 };
  });
  yield* bareCommits(seconds);
  yield* forgetting(events);
}
