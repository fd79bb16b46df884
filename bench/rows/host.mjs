import { references } from '../servers.mjs';
import { modules } from './hot-paths.mjs';

export const title =
  'A host of Nest on Fastify: CPU milliseconds until it listens, megabytes resident then, and once it is idle';
export const measures = ['cpuMs', 'rssMb', 'idleMb'];
export const lessIsBetter = true;
export const hotPath = ['bench/rows/host.mjs', ...modules];

const hosts = { 'without modules': 'none', 'with all modules': 'all' };

export async function* run() {
  const costs = [];
  for (const [name, modules] of Object.entries(hosts)) {
    costs.push(await costOfStart(modules));
    yield { case: name, server: 'host', ...costs.at(-1) };
  }
  const [without, all] = costs;
  const added = Object.fromEntries(measures.map((measure) => [measure, all[measure] - without[measure]]));
  yield { case: 'what all modules add', server: 'rookery', ...added };
}

/** For the start V8 takes more memory than stays in use: an idle host gives the rest back, a busy one uses it. */
async function costOfStart(modules) {
  const host = await references.host({ MODULES: modules, NODE_ENV: 'development' });
  const { cpuSeconds, rss } = host.sample();
  const idle = await host.idleRss();
  await host.stop();
  return { cpuMs: cpuSeconds * 1000, rssMb: rss / 2 ** 20, idleMb: idle / 2 ** 20 };
}
