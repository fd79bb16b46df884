// Copies into the folder of @rookery/server what its package has of other folders, and removes it once it is packed: npm
// packs nothing from outside of a package's folder.
import { cpSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from './from-sources.mjs';

const folder = join(root, 'apps/server');
for (const path of ['dist', 'ops']) rmSync(join(folder, path), { recursive: true, force: true });

if (!process.argv.includes('--remove')) {
  // What V8 compiled of the command is of this machine.
  const filter = (path) => basename(path) !== 'compiled' && !path.endsWith('.cache');
  for (const path of ['dist/rookery', 'dist/console', 'ops'])
    cpSync(join(root, path), join(folder, path), { recursive: true, filter });
}
