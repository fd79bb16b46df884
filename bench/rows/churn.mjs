export const title = 'Churn: connect, subscribe, leave; resident memory after a forced collection, MB';
export const measures = ['firstMb', 'lastMb'];
export const lessIsBetter = true;

export async function* run({ quick, minutes, withServer }) {
  yield* withServer('rookery', async function* (started, client) {
    const megabytes = [];
    const end = performance.now() + minutes * 60_000;
    const rounds = quick ? 5 : 10;
    const isOver = () => (minutes > 0 ? performance.now() > end : megabytes.length === rounds);
    while (!isOver()) {
      await client.ask('connect', { ...started.target, count: 1000, channel: 'presence-churn', channels: 50 });
      await client.ask('close');
      megabytes.push((await started.collectedRss()) / 2 ** 20);
    }
    const first = megabytes[Math.floor(megabytes.length / (minutes > 0 ? 10 : 2))];
    const time = minutes > 0 ? ` in ${minutes} minutes` : '';
    yield { case: `${megabytes.length},000 connections${time}`, firstMb: first, lastMb: megabytes.at(-1), megabytes };
  });
}
