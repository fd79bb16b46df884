export const title = 'Churn: connect, subscribe, leave; resident memory after a forced collection, MB';
export const measures = ['firstMb', 'lastMb'];
export const lessIsBetter = true;

export async function* run({ quick, withServer }) {
  yield* withServer('rookery', async function* (started, client) {
    const megabytes = [];
    const rounds = quick ? 5 : 10;
    for (let round = 0; round < rounds; round++) {
      await client.ask('connect', { ...started.target, count: 1000, channel: 'presence-churn', channels: 50 });
      await client.ask('close');
      megabytes.push((await started.collectedRss()) / 2 ** 20);
    }
    const half = megabytes[Math.floor(rounds / 2)];
    yield { case: `${rounds}000 connections`, firstMb: half, lastMb: megabytes.at(-1), megabytes };
  });
}
