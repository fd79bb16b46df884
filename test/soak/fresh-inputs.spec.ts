import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** For each of the targets: `npm run fuzz` tries for longer. */
const seconds = 2;

it('readers of bytes from outside keep their promises, whatever inputs come of the seed of today', () => {
  const args = ['scripts/fuzz.mjs', '--seconds', String(seconds), '--seed', String(Date.now() % 1_000_000_000)];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
  console.log(stdout);
}, 300_000);
