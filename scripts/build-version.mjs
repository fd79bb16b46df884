import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Commit, branches and tags: `git archive` fills them in (.gitattributes). */
const archived = '$Format:%H, %D$';

/**
 * The version of package.json; for a build of anything but its release, with the commit of the sources as the build
 * metadata of Semantic Versioning: `0.1.0+g29fcac69`, or `0.1.0+g29fcac69.dirty` with uncommitted changes. Where the
 * commit is not known, BUILD_VERSION may name the version, as in the build of the image.
 */
export function buildVersion(root, head = headOf(root) ?? archived) {
  if (process.env.BUILD_VERSION) return process.env.BUILD_VERSION;
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [commit, ...names] = head.split(', ');
  if (!/^[0-9a-f]{40}/.test(commit)) return version;
  const isDirty = hasChanges(root);
  const isRelease = names.some((name) => name.endsWith(`tag: v${version}`));
  return isRelease && !isDirty ? version : `${version}+g${commit.slice(0, 8)}${isDirty ? '.dirty' : ''}`;
}

/** Beside the bundles, not in them: a commit without a change of the sources needs no other build. */
export function writeVersion(root, folder) {
  const [file, text] = [join(root, folder, 'version.js'), `exports.version = ${JSON.stringify(buildVersion(root))};\n`];
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  // Processes may start meanwhile.
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}

/** For rolldown: bundles import the version of the build from the file that {@link writeVersion} writes. */
export const versionBeside = {
  name: 'version-beside',
  resolveId: (id) => (id === './version.js' ? { id, external: true } : undefined),
};

const headOf = (root) => git(root, 'log', '-1', '--decorate=short', '--format=%H, %D');
const hasChanges = (root) => Boolean(git(root, 'status', '--porcelain', '--untracked-files=no'));

/** What git prints; undefined in an archive, even within another repository, and where git refuses or is missing. */
function git(root, ...args) {
  if (!existsSync(join(root, '.git'))) return undefined;
  const { status, stdout } = spawnSync('git', ['--no-optional-locks', ...args], { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
