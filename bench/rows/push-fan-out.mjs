import { pushFigures } from '../load/push-script.mjs';
import { pushes } from './hot-paths.mjs';

export const title =
  'Push fan-out: one publish to a large audience, through the server on SQLite to a stand-in over TLS, which is the client here';
export const isLong = true;
export const measures = ['sendsPerSecond', 'microsecondsEach', 'idleMb', 'peakMb', 'overIdleMb'];
export const hotPath = ['bench/rows/push-fan-out.mjs', ...pushes];

/** `AUDIENCE=1000000` makes it a million devices, which takes minutes. */
export async function* run({ quick }) {
  const AUDIENCE = process.env.AUDIENCE ?? (quick ? 5000 : 100_000);
  for (const { platform, audience, sent, ...figures } of await pushFigures('push-fan-out', { AUDIENCE })) {
    if (sent !== audience) throw new Error(`${platform}: ${sent} of ${audience} were sent`);
    yield { case: `${platform}, ${audience} devices`, server: 'rookery', ...figures };
  }
}
