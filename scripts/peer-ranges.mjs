// Compares the range of each peer dependency of our packages with its newest release: `npm run fresh -- --only peers`.
// Needs the network.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './from-sources.mjs';

const manifestOf = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
const folders = new Set(['.', ...manifestOf('.').workspaces]);
const ranges = [...folders].flatMap((folder) => Object.entries(manifestOf(folder).peerDependencies ?? {}));
/** Each other's version is the same. */
const peers = ranges.filter(([name]) => !/^(@rookery\/|rookery$)/.test(name));

/** The versions that npm knows of a package, or of a range of it, the latest last. */
function versionsOf(spec) {
  const { status, stdout, stderr } = spawnSync('npm', ['view', spec, 'version', '--json'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm view ${spec}: ${stderr || stdout}`);
  return stdout === '' ? [] : [JSON.parse(stdout)].flat();
}

let behind = 0;
for (const [name, range] of peers) {
  const [newest] = versionsOf(name);
  const isWithin = versionsOf(`${name}@${range}`).includes(newest);
  if (!isWithin) behind += 1;
  console.log(`${isWithin ? 'within' : 'BEHIND'} ${name}: ${newest} is the newest, the range is ${range}`);
}
process.exit(behind === 0 ? 0 : 1);
