// A copy of this folder uses the installed packages of others, and its own of ours: with a link to node_modules as a whole,
// the copy's server would have the console of this folder, and the console a second copy of the kit.
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Links each package into the copy's node_modules.
 * @param placeOf where a package of others is
 */
export function linkModules(root, copy, placeOf = (name) => join(root, 'node_modules', name)) {
  const manifestOf = (folder) => JSON.parse(readFileSync(join(copy, folder, 'package.json'), 'utf8'));
  const ours = new Map(manifestOf('.').workspaces.map((folder) => [manifestOf(folder).name, join(copy, folder)]));
  for (const name of namesIn(join(root, 'node_modules'))) if (!ours.has(name)) link(copy, name, placeOf(name));
  for (const [name, folder] of ours) link(copy, name, folder);
}

const namesIn = (modules) =>
  readdirSync(modules).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map((each) => `${name}/${each}`) : [name],
  );

function link(copy, name, target) {
  const path = join(copy, 'node_modules', name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
