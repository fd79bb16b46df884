import { pushFigures } from '../load/push-script.mjs';

export const title = 'Push gateways: sends a second to a local stand-in over TLS';
export const measures = ['sendsPerSecond', 'senderMicroseconds', 'serviceMicroseconds'];

export async function* run({ quick, seconds }) {
  for (const { platform, ...figures } of await pushFigures('push-gateways', { RUNS: 1, SECONDS: quick ? 1 : seconds }))
    yield { case: platform, server: 'rookery', ...figures };
}
