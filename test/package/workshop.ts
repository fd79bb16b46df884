import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe } from 'vitest';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Everything that is made here: it is removed with the last test. */
export const workshop = mkdtempSync(join(tmpdir(), 'rookery-package-'));

/** Runs a command to its end and answers what it printed; a failure says so too. */
export async function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) {
  try {
    const all = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...env };
    const { stdout, stderr } = await promisify(execFile)(command, args, { cwd, env: all, maxBuffer: 1e8 });
    return stdout + stderr;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${command} ${args.join(' ')}\n${stdout ?? ''}${stderr ?? ''}`, { cause: error });
  }
}

const answersPing = await run('npm', ['ping'], workshop).then(
  () => true,
  () => false,
);

/** A `describe` for what installs from the registry: skipped where it cannot be reached, with a word, but never in CI. */
export const describePackage: typeof describe | typeof describe.skip = choose();

function choose() {
  if (answersPing) return describe;
  if (process.env['CI'] === 'true') throw new Error('The npm registry cannot be reached: nothing can be installed');
  console.warn('SKIPPED: the npm registry cannot be reached, the tests of the packed package do not run');
  return describe.skip;
}

/** Writes files into a folder of its own. */
export function folderWith(name: string, files: Readonly<Record<string, string | object>>): string {
  const folder = join(workshop, name);
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
  }
  return folder;
}

/** `npm install`, as whoever wrote the folder's package.json would run it. */
export const npmInstall = (folder: string, ...args: readonly string[]): Promise<string> =>
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...args], folder);

/** `npm pack` in a copy of what git knows, as from a fresh clone: answers the tarball. */
export async function packed(): Promise<string> {
  const clone = folderWith('clone', {});
  const files = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'], root);
  const tracked = new Set(files.trim().split('\n'));
  cpSync(root, clone, { recursive: true, filter: (path) => isWithin(tracked, path.slice(root.length)) });
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  const output = await run('npm', ['pack', '--pack-destination', workshop, '--loglevel=error'], clone);
  return join(workshop, output.trim().split('\n').at(-1)!);
}

function isWithin(tracked: ReadonlySet<string>, path: string): boolean {
  if (path === '' || tracked.has(path)) return true;
  return [...tracked].some((file) => file.startsWith(`${path}/`));
}

/** The Node versions that a host may run, newest of each line when this was written. */
const versions = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' } as const;
export type NodeLine = keyof typeof versions;
export const nodeLines = [20, 22, 24] as const;

/** Where the binary of each is: from the packages that the npm package `node` consists of. */
export async function nodeBinaries(): Promise<(line: NodeLine) => string> {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const folder = folderWith('nodes', {
    'package.json': {
      private: true,
      dependencies: Object.fromEntries(
        nodeLines.map((line) => [`node-${line}`, `npm:node-${platform}-${process.arch}@${versions[line]}`]),
      ),
    },
  });
  await npmInstall(folder);
  return (line) => join(folder, 'node_modules', `node-${line}`, 'bin', 'node');
}
