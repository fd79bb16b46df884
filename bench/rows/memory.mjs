import { openFilesLimit } from '../machine.mjs';

export const title = 'Idle connections after a forced collection, bytes resident for each';
export const measures = ['bytesEach'];
export const lessIsBetter = true;

export async function* run({ quick, beside, withServer, skip }) {
  for (const count of quick ? [2000] : [10_000, 50_000]) {
    if (count + 100 > openFilesLimit()) {
      skip(`${count} connections need \`ulimit -n ${count + 1000}\`; here it is ${openFilesLimit()}`);
      continue;
    }
    for (const server of ['rookery', ...beside('ws', 'net')])
      yield* withServer(server, async function* (started, client) {
        // Once up and down, so that what the server only ever needs once is not counted.
        await client.ask('connect', { ...started.target, count: 200 });
        await client.ask('close');
        const empty = await started.collectedRss();
        await client.ask('connect', { ...started.target, count });
        const full = await started.collectedRss();
        yield { case: `${count} connections`, bytesEach: (full - empty) / count, rss: full, emptyRss: empty };
      });
  }
}
