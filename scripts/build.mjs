// Builds dist/, or the given parts of it, if they are missing or older than their sources: `node scripts/build.mjs command`.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeVersion } from './build-version.mjs';

// Not from from-sources.mjs: the bundler takes longer to load than all that is done here when nothing has changed.
process.chdir(join(import.meta.dirname, '..'));

const settings = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
const parts = {
  /** What applications import. */
  modules: {
    products: [
      'dist/modules/common.js',
      'libs/sdk/dist/modules/client.mjs',
      'libs/testing/dist/modules/testing.js',
      'libs/console/dist/modules/console.js',
    ],
    sources: [
      'libs',
      'scripts/build-version.mjs',
      'scripts/modules.mjs',
      'scripts/bill-of-materials.mjs',
      'scripts/from-sources.mjs',
      'scripts/licences.mjs',
      ...settings,
    ],
    command: ['scripts/modules.mjs'],
    versioned: 'dist/modules',
  },
  /** Their types. Only this part checks types, which takes longer than the others together. */
  types: {
    products: [
      'dist/libs/common/src/index.d.ts',
      'apps/conformance/dist/types/index.d.ts',
      'libs/sdk/dist/types/client/index.d.mts',
      'libs/testing/dist/types/index.d.ts',
      'libs/console/dist/types/index.d.ts',
    ],
    sources: ['apps/cli', 'apps/conformance', 'apps/server', 'libs', 'scripts/types.mjs', ...settings],
    command: ['scripts/types.mjs'],
  },
  /** The command, with the server in it. */
  command: {
    products: ['dist/rookery/rookery.js'],
    sources: [
      'apps/cli',
      'apps/conformance',
      'apps/server',
      'libs',
      'scripts/bundle.mjs',
      'scripts/bill-of-materials.mjs',
      'scripts/build-version.mjs',
      'scripts/from-sources.mjs',
      'scripts/licences.mjs',
      'scripts/rest.cjs',
      ...settings,
    ],
    command: ['scripts/bundle.mjs'],
    versioned: 'dist/rookery',
  },
  /** The conformance suite as a package of its own. */
  conformance: {
    products: ['apps/conformance/dist/modules/command.js'],
    sources: [
      'apps/conformance',
      'scripts/conformance.mjs',
      'scripts/bill-of-materials.mjs',
      'scripts/build-version.mjs',
      'scripts/from-sources.mjs',
      'scripts/licences.mjs',
      ...settings,
    ],
    command: ['scripts/conformance.mjs'],
    versioned: 'apps/conformance/dist/modules',
  },
  /** The console's pages. */
  console: {
    products: ['dist/console/index.html', 'libs/console/dist/pages/index.html'],
    sources: [
      'apps/console',
      'libs/console/src/contract',
      'scripts/bill-of-materials.mjs',
      'scripts/console.mjs',
      ...settings,
    ],
    command: ['scripts/console.mjs'],
  },
};

/** The time of the last change below a path, except in what is built there; a folder's own time reveals removed files. */
function lastChange(path) {
  const status = statSync(path);
  if (!status.isDirectory()) return status.mtimeMs;
  const within = readdirSync(path, { withFileTypes: true });
  // A build changes the time of the folder of a package; its sources are in folders of it.
  const own = within.some(({ name }) => name === 'package.json') ? [] : [status.mtimeMs];
  const sources = within.filter(({ name }) => name !== 'dist' && !name.includes('.spec.'));
  return Math.max(0, ...own, ...sources.map(({ name }) => lastChange(join(path, name))));
}

const stampOf = (name) => `dist/.built-${name}`;

function isBuilt(name) {
  const { products, sources } = parts[name];
  const built =
    products.every((product) => existsSync(product)) && statSync(stampOf(name), { throwIfNoEntry: false })?.mtimeMs;
  return built && Math.max(...sources.map(lastChange)) < built;
}

async function build(name) {
  const started = new Date();
  const [status] = await new Promise((resolve) => {
    const child = spawn(process.execPath, parts[name].command, { stdio: 'inherit' });
    child.once('exit', (...end) => resolve(end));
  });
  if (status !== 0) throw new Error(`The build of ${name} failed`);
  writeFileSync(stampOf(name), '');
  // Changes made during the build may be missing.
  utimesSync(stampOf(name), started, started);
}

const lock = 'dist/.building';

/** When several terminals and tests build concurrently, the first one builds and the others wait. */
async function acquireLock() {
  mkdirSync('dist', { recursive: true });
  for (;;)
    try {
      return writeFileSync(lock, `${process.pid}`, { flag: 'wx' });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (isAbandoned()) rmSync(lock, { force: true });
      else await sleep(50);
    }
}

/** Whether the process that holds the lock ended without releasing it. */
function isAbandoned() {
  const owner = existsSync(lock) && readFileSync(lock, 'utf8');
  if (!owner) return false;
  try {
    return !process.kill(Number(owner), 0);
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

if (!existsSync('node_modules')) {
  console.error('Nothing is installed here yet: run npm ci first');
  process.exit(1);
}

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts);
const missing = () => wanted.filter((name) => !isBuilt(name));

if (missing().length > 0) {
  await acquireLock();
  try {
    const names = missing();
    if (names.length > 0) console.log(`Building ${names.join(', ')} …`);
    // Waits for all of them even if one fails: nothing may be written once the lock is free.
    const ends = await Promise.allSettled(names.map(build));
    for (const { reason } of ends.filter(({ status }) => status === 'rejected')) {
      console.error(reason.message);
      process.exitCode = 1;
    }
  } finally {
    rmSync(lock, { force: true });
  }
}

if (!process.exitCode)
  for (const { versioned } of wanted.map((name) => parts[name])) if (versioned) writeVersion('.', versioned);
