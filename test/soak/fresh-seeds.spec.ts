import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const seconds = 40;

it('a simulated cluster keeps its promises, whatever the seeds of today decide', () => {
  const seed = String(Date.now() % 1_000_000_000);
  const args = [
    'scripts/simulate.mjs',
    '--seed',
    seed,
    '--seconds',
    String(seconds),
    '--minutes',
    '2',
    '--shrink',
    '60',
  ];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status, stdout).toBe(0);
}, 240_000);
