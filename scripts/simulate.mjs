// Runs whole clusters in one process from a seed (test/simulation): `npm run simulate -- --seed 7 --minutes 10`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { fromSources, root } from './from-sources.mjs';

const file = join(root, 'dist/simulation/simulate.mjs');
const bundle = await rolldown({
  ...fromSources,
  input: 'test/simulation/main.ts',
  // Only the sources are bundled, with what the compiler adds to them.
  external: (id) => !/^([./]|rookery\/|@oxc-project\/|test\/)/.test(id),
});
await bundle.write({ file, format: 'esm', sourcemap: true });
if (process.argv.includes('--build-only')) process.exit(0);
const { status } = spawnSync(process.execPath, ['--enable-source-maps', file, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
