// Runs the model of presence over processes (test/operations/model.cluster.spec.ts) for as long as you like.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const text = { type: 'string' };
const { values } = parseArgs({ options: { minutes: text, seed: text } });
const environment = {
  CHAOS_MINUTES: values.minutes ?? '10',
  ...(values.seed === undefined ? {} : { CHAOS_SEED: values.seed }),
};
const vitest = ['vitest', 'run', '--project', 'services', 'test/operations/model.cluster.spec.ts'];
const { status } = spawnSync('npx', vitest, { stdio: 'inherit', env: { ...process.env, ...environment } });
process.exit(status ?? 1);
