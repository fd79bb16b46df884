// Builds dist/ when it is missing or older than a source file, so that `npm start` is one command.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const newest = (folder) =>
  Math.max(
    0,
    ...readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter(
        (entry) => entry.isFile() && (/\.(m?ts|tsx|css|html)$/.test(entry.name) || entry.parentPath.endsWith('public')),
      )
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );
// The last thing that is made.
const built = statSync('dist/rookery/rookery.js', { throwIfNoEntry: false })?.mtimeMs ?? 0;
const sources = Math.max(newest('apps'), newest('libs'), statSync('tsconfig.build.json').mtimeMs);

if (sources > built) {
  const run = (...args) => spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
  process.exitCode =
    run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json') ||
    run('node_modules/vite/bin/vite.js', 'build', 'apps/console', '--logLevel', 'warn') ||
    run('scripts/bundle.mjs');
}
