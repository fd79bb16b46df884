import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '../load/client.mjs';
import { openFilesLimit } from '../machine.mjs';
import { references, rookery } from '../servers.mjs';
import { subscriptions } from './hot-paths.mjs';

export const title = 'Storm: a killed server listens again; seconds until all its clients are back on their channels';
export const isLong = true;
export const measures = ['seconds', 'perSecond', 'tries', 'authorizations', 'channelsInEach'];
export const lessIsBetter = true;
export const hotPath = ['bench/rows/storm.mjs', ...subscriptions];

const channels = 3;
const servers = {
  'the server, tokens signed elsewhere': { start: rookery, host: false },
  'an application that authorizes them too': { start: references.authorizing, host: true },
};

/** Each client has three private channels. It connects again within a second, and a second after each failure. */
export async function* run({ quick, skip }) {
  const most = openFilesLimit() - 500;
  for (const count of quick ? [2000] : [5000, 10_000, 19_000, 50_000]) {
    if (count > most) {
      skip(`a storm of ${count} needs \`ulimit -n ${count + 500}\`, which this user may not set`);
      continue;
    }
    for (const [name, { start, host }] of Object.entries(servers))
      yield { case: `${count} clients, ${name}`, server: 'rookery', ...(await storm(count, start, host)) };
  }
}

async function storm(count, start, host) {
  const client = new Client();
  let server = await start();
  try {
    await client.ask('comeBack', { ...server.target, count, channels, host });
    // The bench's clients do not measure the start of a server: it listens before they try.
    const back = client.ask('areBack');
    const { port } = server.where;
    await server.stop();
    server = await start({ PORT: String(port) });
    const from = Date.now();
    const sampled = server.sample();
    await server.longestTurn();
    const { at, tries, calls, channels: authorized } = await back;
    const seconds = (at - from) / 1000;
    return {
      seconds,
      perSecond: count / seconds,
      tries: tries / count,
      ...(host && { authorizations: calls, channelsInEach: authorized / calls }),
      longestTurnMs: await server.longestTurn(),
      serverCpuSeconds: server.sample().cpuSeconds - sampled.cpuSeconds,
    };
  } finally {
    await client.ask('stopComing');
    await server.stop();
    await delay(100);
    client.stop();
  }
}
