import { pushFigures } from '../load/push-script.mjs';

export const title = 'Push fan-out: one publish to a large audience, through the server on SQLite';
export const measures = ['sendsPerSecond', 'serverMicrosecondsEach', 'idleMegabytes', 'peakMegabytes'];

/** `AUDIENCE=1000000` makes it a million devices, which takes minutes. */
export async function* run({ quick }) {
  const AUDIENCE = process.env.AUDIENCE ?? (quick ? 5000 : 100_000);
  for (const { platform, audience, ...figures } of await pushFigures('push-fan-out', { AUDIENCE }))
    yield { case: `${platform}, ${audience} devices`, server: 'rookery', ...figures };
}
