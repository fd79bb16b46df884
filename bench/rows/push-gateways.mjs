import { pushFigures } from '../load/push-script.mjs';

export const title = 'Push gateways: sends a second to a local stand-in over TLS, which is the client here';
export const measures = ['sendsPerSecond', 'microsecondsEach', 'serviceMicrosecondsEach'];

export async function* run({ quick, seconds }) {
  const environment = { RUNS: 1, MEASURED_SECONDS: quick ? 1 : Math.max(seconds, 2) };
  for (const { platform, ...figures } of await pushFigures('push-gateways', environment))
    yield { case: platform, server: 'rookery', ...figures };
}
