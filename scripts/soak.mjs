// Runs the soak (test/soak/memory.spec.ts) for as long as you like: `npm run soak -- --minutes 240`.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const text = { type: 'string' };
const { values } = parseArgs({ options: { minutes: text, share: text } });
const environment = { SOAK_MINUTES: values.minutes ?? '60', SOAK_SHARE: values.share ?? '1' };
const vitest = ['vitest', 'run', '--project', 'soak', 'test/soak/memory.spec.ts'];
const { status } = spawnSync('npx', vitest, { stdio: 'inherit', env: { ...process.env, ...environment } });
process.exit(status ?? 1);
