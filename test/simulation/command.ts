import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// Each run replaces the clock and the timers of its process, so it has one of its own.

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Printed {
  readonly code: number;
  readonly lines: readonly string[];
}

const run = (file: string, args: readonly string[]): Promise<Printed> =>
  new Promise((resolve) =>
    execFile(process.execPath, [file, ...args], { cwd: root }, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, lines: (stdout + stderr).trimEnd().split('\n') }),
    ),
  );

/** Runs the simulation that was built last, as `npm run simulate` does. */
export const simulate = (...args: readonly string[]): Promise<Printed> => run('dist/simulation/simulate.mjs', args);

export const buildSimulation = (): Promise<Printed> => run('scripts/simulate.mjs', ['--build-only']);

/** What can be simulated, with the arguments of a run that takes seconds. */
export const kinds: readonly (readonly [kind: string, args: readonly string[]])[] = [
  ['Channels', ['--minutes', '0.5']],
  ['Channels on PostgreSQL', ['--postgres', '--minutes', '0.5']],
  ['Beams', ['--beams', '--minutes', '0.5']],
  ['notifications', ['--notifications', '--minutes', '1']],
  ['limits', ['--limits', '--minutes', '0.5']],
  ['upgrades', ['--upgrades', '--minutes', '0.5']],
  ['upgrades of Beams', ['--upgrades', '--beams', '--minutes', '0.5']],
];
