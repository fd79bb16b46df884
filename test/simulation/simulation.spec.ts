import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';

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

const simulate = (...args: readonly string[]): Promise<Printed> => run('dist/simulation/simulate.mjs', args);

beforeAll(() => run('scripts/simulate.mjs', ['--build-only']));

it('finds nothing with these seeds', async () => {
  const { code, lines } = await simulate('--seed', '1', '--seeds', '6', '--minutes', '0.5');
  expect(lines).toHaveLength(6);
  expect(code, lines.join('\n')).toBe(0);
}, 120_000);

/** Of runs that found a fault of Rookery, which is mended. */
const failed = readFileSync(new URL('failed-seeds.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => /^\d/.test(line))
  .map((line) => line.split(' ') as [seed: string, minutes: string]);

it.each(failed)(
  'finds nothing with seed %s over %s minutes, which once failed',
  async (seed, minutes) => {
    const { code, lines } = await simulate('--seed', seed, '--minutes', minutes, '--shrink', '0');
    expect(code, lines.join('\n')).toBe(0);
  },
  120_000,
);

it('runs the same from the same seed', async () => {
  const [one, other] = [
    await simulate('--seed', '3', '--minutes', '0.3'),
    await simulate('--seed', '3', '--minutes', '0.3'),
  ];
  expect(one.lines).toEqual(other.lines);
  const [different] = (await simulate('--seed', '4', '--minutes', '0.3')).lines;
  expect(traceOf(different!)).not.toBe(traceOf(one.lines[0]!));
}, 120_000);

it('finds each planted fault', async () => {
  const { lines } = await simulate('--fault', 'all', '--seeds', '12', '--minutes', '0.5');
  expect(lines.filter((line) => !line.startsWith('found: '))).toEqual([]);
  expect(lines.length).toBeGreaterThanOrEqual(12);
}, 240_000);

it.each([
  ['a connection takes the session before its client has spoken', '452'],
  ['changes of members do not say what they follow', '795'],
  ['webhooks say that something is gone after another node may say that it is back', '712'],
])(
  'finds a fault that once stood in Rookery: %s',
  async (fault, seed) => {
    const { lines } = await simulate('--fault', fault, '--seed', seed, '--minutes', '2', '--shrink', '0');
    expect(lines.join('\n')).toContain(`seed ${seed} fails: `);
  },
  120_000,
);

it('prints the seed of a failing run, what is broken, and a short schedule that breaks it too', async () => {
  const { code, lines } = await simulate(
    '--fault',
    'returning clients are sent nothing',
    '--seed',
    '1',
    '--minutes',
    '0.5',
  );
  expect(code).toBe(1);
  const at = lines.findIndex((line) => line.startsWith('seed 1 fails: client '));
  expect(at).toBeGreaterThan(0);
  const operations = lines.slice(at + 2, -1);
  // A client with a session connects, subscribes and breaks off; an event is triggered.
  expect(operations.join('\n')).toMatch(/connect [^]*subscribe [^]*trigger /);
  expect(operations.length).toBeLessThan(12);
}, 240_000);

const traceOf = (line: string): string | undefined => /trace (\w+)/.exec(line)?.[1];
