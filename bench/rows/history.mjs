import { fanOut, sessions } from './hot-paths.mjs';

export const title = 'History: one channel, deliveries a second';
export const measures = ['messagesPerSecond'];
export const hotPath = ['bench/rows/history.mjs', ...fanOut, ...sessions];

const cases = [
  ['without a history', 'bench', false],
  ['with a history', 'kept', false],
  ['with a history and sessions', 'kept', true],
];

/** What a history costs a fan-out, and what it costs to know what clients have got. */
export async function* run({ quick, docs, seconds, withServer }) {
  for (const subscribers of quick || docs ? [1000] : [1, 100, 1000, 10_000])
    for (const [what, channel, hasSessions] of cases)
      yield* withServer('rookery', async function* (started, client) {
        const { target } = started;
        await client.ask('connect', { ...target, app: { ...target.app, hasSessions }, count: subscribers, channel });
        for (const inFlight of [1, 8]) {
          const load = { channels: { names: [channel] }, bytes: 100, inFlight, seconds };
          const result = await client.measure(started, 'load', load);
          yield { case: `${subscribers} subscribers ${what}, ${inFlight} in flight`, ...result };
        }
      });
}
