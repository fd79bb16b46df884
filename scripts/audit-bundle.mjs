// Audits the packages that are bundled into the command and the console's pages: `npm run audit:bundle`.
// To npm they are development dependencies, which `npm audit --omit=dev` skips. Further arguments go to npm: --audit-level=high.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './from-sources.mjs';

const lists = ['dist/rookery/sbom.cdx.json', 'dist/console/sbom.cdx.json'];
const components = lists.flatMap((path) => JSON.parse(readFileSync(join(root, path), 'utf8')).components);
const bundled = new Set(components.map(({ purl }) => purl));
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

// The part of our lock file with these packages, as if an application had installed them.
const entries = Object.entries(lock.packages).flatMap(([path, entry]) => {
  const name = path.split('node_modules/').at(-1);
  return bundled.delete(`pkg:npm/${name.replace('@', '%40')}@${entry.version}`) ? [[path, entry]] : [];
});
if (bundled.size > 0) throw new Error(`package-lock.json does not have ${[...bundled].join(', ')}: build again`);

const dependencies = Object.fromEntries(
  entries
    .filter(([path]) => path.lastIndexOf('node_modules/') === 0)
    .map(([path, { version }]) => [path.slice(13), version]),
);
const application = { name: 'bundled', version: '0.0.0', dependencies };
const folder = mkdtempSync(join(tmpdir(), 'rookery-audit-'));
try {
  const write = (name, value) => writeFileSync(join(folder, name), JSON.stringify(value, null, 2));
  write('package.json', application);
  write('package-lock.json', {
    ...lock,
    ...application,
    packages: { '': application, ...Object.fromEntries(entries) },
  });
  console.log(`Asking about ${entries.length} packages`);
  const asked = spawnSync('npm', ['audit', '--package-lock-only', ...process.argv.slice(2)], {
    cwd: folder,
    stdio: 'inherit',
  });
  process.exitCode = asked.status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
