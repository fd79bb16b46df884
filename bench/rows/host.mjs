import { references } from '../servers.mjs';

export const title =
  'A host of Nest on Fastify: CPU milliseconds until it listens, and megabytes resident then, medians of 5';
export const measures = ['cpuMs', 'rssMb'];
export const lessIsBetter = true;

const hosts = { 'without modules': 'none', 'with all modules': 'all' };

/** In turns, because other work on the machine disturbs both alike then. */
export async function* run({ quick }) {
  const starts = Object.keys(hosts).map((name) => ({ name, costs: [] }));
  for (let round = 0; round < (quick ? 1 : 5); round++)
    for (const { name, costs } of starts) costs.push(await costOfStart(hosts[name]));
  const [without, all] = starts.map(({ costs }) => medianOf(costs));
  yield { case: 'without modules', server: 'host', ...without };
  yield { case: 'with all modules', server: 'host', ...all };
  const added = Object.fromEntries(measures.map((measure) => [measure, all[measure] - without[measure]]));
  yield { case: 'what the modules add', server: 'rookery', ...added };
}

async function costOfStart(modules) {
  const host = await references.host({ MODULES: modules, NODE_ENV: 'development' });
  const { cpuSeconds, rss } = host.sample();
  await host.stop();
  return { cpuMs: cpuSeconds * 1000, rssMb: rss / 2 ** 20 };
}

const medianOf = (costs) =>
  Object.fromEntries(measures.map((measure) => [measure, median(costs.map((cost) => cost[measure]))]));

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
