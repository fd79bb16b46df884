// Tries what CI does not, by hand: fresh seeds of each kind of simulated cluster, one kind after the other, and fresh
// inputs for the readers of bytes. `npm run fresh -- --seconds 300`, or `npm run fresh -- --only seeds`.
// Prints the first seed and the counts, and of a failing seed its shortest schedule.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { root } from './from-sources.mjs';

const text = { type: 'string' };
const { values } = parseArgs({
  options: {
    seconds: { ...text, default: '300' },
    seed: text,
    /** `seeds` or `inputs`; or of the newest releases `sdks`, the official ones and the AI SDK, or `peers`, the peer dependencies. */
    only: text,
  },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000_000);

/** By the share of the time. */
const kinds = [
  { name: 'Channels', args: [], share: 0.3 },
  { name: 'Channels on PostgreSQL', args: ['--postgres'], share: 0.1 },
  { name: 'upgrades', args: ['--upgrades'], share: 0.1 },
  // The model does not know all about members that come while the store is away.
  { name: 'limits', args: ['--limits', '--without', 'outage'], share: 0.15 },
  { name: 'Beams', args: ['--beams'], share: 0.15 },
  { name: 'upgrades of Beams', args: ['--beams', '--upgrades'], share: 0.05 },
  { name: 'notifications', args: ['--notifications'], share: 0.15 },
];

/** @returns whether no seed failed */
async function tryKind({ name, args, share }) {
  const search = ['--seed', String(seed), '--seconds', String(values.seconds * share), '--minutes', '2'];
  const program = join(root, 'dist/simulation/simulate.mjs');
  const run = spawn(process.execPath, ['--enable-source-maps', program, ...args, ...search], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => run.once('exit', resolve));
  let seeds = 0;
  let minutes = 0;
  for await (const line of createInterface(run.stdout)) {
    const [, simulated] = /^seed \d+: .* ([\d.]+) simulated minutes, trace/.exec(line) ?? [];
    if (simulated === undefined) {
      console.log(line);
      continue;
    }
    seeds += 1;
    minutes += Number(simulated);
  }
  const code = await ended;
  const outcome = code === 0 ? 'none failed' : 'FAILED';
  console.log(`${name}: ${seeds} seeds from ${seed}, ${(minutes / 60).toFixed(1)} simulated hours, ${outcome}`);
  return code === 0 && seeds > 0;
}

/** @returns whether it succeeded */
const runScript = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status === 0;

let failed = 0;
if (values.only === 'peers') process.exit(runScript('scripts/peer-ranges.mjs') ? 0 : 1);
if (values.only === 'sdks') process.exit(runScript('scripts/sdk-heads.mjs') ? 0 : 1);
if (values.only !== 'inputs') {
  if (!runScript('scripts/simulate.mjs', '--build-only')) process.exit(1);
  for (const kind of kinds) if (!(await tryKind(kind))) failed += 1;
}
// For each target; three of them share the two cores.
const perTarget = String(Math.ceil(values.seconds / 5));
if (values.only !== 'seeds' && !runScript('scripts/fuzz.mjs', '--seconds', perTarget, '--jobs', '3')) failed += 1;
process.exit(failed === 0 ? 0 : 1);
