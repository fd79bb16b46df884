// Runs what CI runs for minutes for as long as you like: `npm run soak -- --minutes 240` a steady load, under which
// memory may not grow, `npm run soak -- presence --seed 7` processes that die and drain, against a model of presence,
// `npm run soak -- events` a Redis and a PostgreSQL that fail in several ways, while each event that was accepted must be
// delivered.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const text = { type: 'string' };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: text, share: text, seed: text },
});
const { minutes, share = '1', seed } = values;
const soaks = {
  memory: { file: 'test/soak/memory.spec.ts', environment: { SOAK_MINUTES: minutes ?? '60', SOAK_SHARE: share } },
  events: {
    file: 'test/connections/accepted-events.cluster.spec.ts',
    environment: { CHAOS_MINUTES: minutes ?? '10', ...(seed && { CHAOS_SEED: seed }) },
  },
  presence: {
    file: 'test/redis/model.cluster.spec.ts',
    environment: { CHAOS_MINUTES: minutes ?? '10', ...(seed && { CHAOS_SEED: seed }) },
  },
};
const soak = soaks[positionals[0] ?? 'memory'];
if (!soak) throw new Error(`there are ${Object.keys(soaks).join(', ')}`);
const project = soak === soaks.memory ? 'soak' : 'services';
const vitest = ['vitest', 'run', '--project', project, soak.file];
const { status } = spawnSync('npx', vitest, { stdio: 'inherit', env: { ...process.env, ...soak.environment } });
process.exit(status ?? 1);
