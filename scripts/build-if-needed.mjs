// Builds dist/ when it is missing or older than a source file, so that `npm start` is one command.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const newest = (folder) =>
  Math.max(
    0,
    ...readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );
const built = statSync('dist/.tsbuildinfo', { throwIfNoEntry: false })?.mtimeMs ?? 0;
const sources = Math.max(newest('apps'), newest('libs'), statSync('tsconfig.build.json').mtimeMs);

if (sources > built) {
  const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
