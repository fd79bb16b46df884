import { references } from '../servers.mjs';

export const title = 'A host of Nest on Fastify: CPU milliseconds until it listens, and megabytes resident then';
export const measures = ['cpuMs', 'rssMb'];
export const lessIsBetter = true;

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

async function costOfStart(modules) {
  const host = await references.host({ MODULES: modules, NODE_ENV: 'development' });
  const { cpuSeconds, rss } = host.sample();
  await host.stop();
  return { cpuMs: cpuSeconds * 1000, rssMb: rss / 2 ** 20 };
}
