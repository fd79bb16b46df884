import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** `npm run fuzz`, with a few inputs of targets that load quickly. */
function fuzz(...args: string[]): { status: number | null; said: string } {
  const command = ['scripts/fuzz.mjs', '--inputs', '2000', '--seed', '7', ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

it('`npm run fuzz` says how many inputs its jobs ran, and ends with 0', () => {
  const { status, said } = fuzz('--target', 'frames', '--jobs', '2');
  expect(said).toMatch(/^frames: \d{4,} inputs in \d+ s .*, seed 7\n$/);
  expect(status, said).toBe(0);
}, 120_000);

it('`npm run fuzz` goes on after a broken target, prints inputs and seed, and ends with 1', () => {
  const { status, said } = fuzz('--target', 'broken,endless,frames', '--stuck-after', '1');
  expect(said).toMatch(
    /^broken is broken by an input \(--target broken --seed 7 --jobs 1\):\n"\{\\"a.*: Error: planted$/m,
  );
  expect(said).toMatch(
    /^endless is broken by an input \(--target endless --seed 7 --jobs 1\):\n"\{\\"a.*: it takes longer than 1 s$/m,
  );
  expect(said).toMatch(/^frames: /m);
  expect(status, said).toBe(1);
}, 120_000);
