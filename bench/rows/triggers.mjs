import { triggers } from './hot-paths.mjs';

export const title = 'Signed triggers without subscribers, requests a second (32 connections)';
export const measures = ['answersPerSecond'];
export const hotPath = ['bench/rows/triggers.mjs', ...triggers];

export async function* run({ seconds, beside, withServer }) {
  for (const server of ['rookery', 'authorizing', 'authorizingOnExpress', ...beside('http', 'fastify', 'express')])
    yield* withServer(server, async function* (started, client) {
      await client.ask('connect', { ...started.target, count: 0 });
      for (const batch of [undefined, 10]) {
        const load = { channels: { names: ['bench'], batch }, bytes: 100, inFlight: 32, seconds, warmUp: 1 };
        const result = await client.measure(started, 'load', load);
        yield { case: batch ? 'batches of 10 events' : 'one event', ...result };
      }
    });
}
