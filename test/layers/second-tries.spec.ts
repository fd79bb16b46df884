import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Runs a spec with a second try for each test, as CI does. */
function run(spec: string): { readonly status: number | null; readonly stdout: string } {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-tries-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'planted.spec.mjs'), spec);
  const reporter = join(root, 'test/support/second-tries.ts');
  const args = ['run', '--root', folder, '--globals', '--retry', '1', '--reporter', reporter];
  // The run is not part of this one.
  const { VITEST: _, VITEST_POOL_ID: __, VITEST_WORKER_ID: ___, NODE_ENV: ____, ...env } = process.env;
  return spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
}

it('fails a run with a test that passed at its second try, and names it', () => {
  const { status, stdout } = run(`let tries = 0;\nit('is a race', () => expect(++tries).toBe(2));\n`);
  expect(stdout).toContain('Second tries: 1\n  NOT LISTED: planted.spec.mjs > is a race\n');
  expect(status).toBe(1);
});

it('passes a run whose tests need one try, and says so', () => {
  const { status, stdout } = run(`it('is right', () => expect(1).toBe(1));\n`);
  expect(stdout).toContain('Second tries: 0\n');
  expect(status).toBe(0);
});
