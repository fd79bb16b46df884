import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const root = fileURLToPath(new URL('../..', import.meta.url));

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

/** Writes files into a folder of its own. */
export function folderIn(workshop: string, name: string, files: Readonly<Record<string, string | object>>): string {
  const folder = join(workshop, name);
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
  }
  return folder;
}

/** `npm install`, as the author of the folder's package.json would run it. */
export const npmInstall = (folder: string, ...args: readonly string[]): Promise<string> =>
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', ...args], folder);

/**
 * The Node versions that are tried: the oldest that is supported, and the newest of each line when this was written.
 */
export const versions = { 20.19: '20.19.0', 20: '20.20.2', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' } as const;
export type NodeLine = keyof typeof versions;
/**
 * Those that an application may run. 20.19.0 is left out: it cannot load an application of ES modules on Nest 12 that
 * imports a CommonJS package which requires Nest (ERR_REQUIRE_CYCLE_MODULE).
 */
export const nodeLines = [20, 22, 24] as const;
/** Those that a clone may run. */
export const cloneLines = [20.19, 22, 24, 26] as const;
/** The npm that comes with the oldest of them. */
export const oldestNpm = '10.8.2';
