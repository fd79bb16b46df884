// Builds the server's image on a base image pinned by its digest: `npm run image -- <tag> [<base image>]`.
// Without a digest, the current digest of the base image's tag is used.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildVersion } from './build-version.mjs';
import { root } from './from-sources.mjs';

const dockerfile = 'ops/docker/Dockerfile';
const [tag, given] = process.argv.slice(2);
if (tag === undefined) fail('Name the tag of the image: npm run image -- rookery:1.0.0');

const [, named] = /^ARG BASE_IMAGE=(\S+)$/m.exec(readFileSync(join(root, dockerfile), 'utf8'));
const base = pinned(given ?? named);
const [name, digest] = base.split('@');
// The repository is not among the files of the build.
const args = { BASE_IMAGE: base, BUILD_VERSION: buildVersion(root) };
const buildArgs = Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
docker('build', '--file', dockerfile, '--tag', tag, ...buildArgs, ...labels(name, digest), '.');
console.log(`${tag} is built on ${base}`);

/** The image with its digest. */
function pinned(image) {
  if (/@/.test(image)) return isPinned(image) ? image : fail(`${image} has no digest: @sha256: and 64 digits follow`);
  const format = ['--format', '{{.Manifest.Digest}}'];
  const { status, stdout, stderr } = spawnSync('docker', ['buildx', 'imagetools', 'inspect', image, ...format], {
    encoding: 'utf8',
  });
  const found = `${image}@${stdout?.trim()}`;
  return status === 0 && isPinned(found) ? found : fail(`The digest of ${image} is not known: ${stderr?.trim()}`);
}

function isPinned(image) {
  return /^[^@\s]+@sha256:[0-9a-f]{64}$/.test(image);
}

function labels(name, digest) {
  const base = 'org.opencontainers.image.base';
  return ['--label', `${base}.name=${name}`, '--label', `${base}.digest=${digest}`];
}

function docker(...args) {
  const { status } = spawnSync('docker', args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) fail(`docker ${args[0]} has failed`);
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}
