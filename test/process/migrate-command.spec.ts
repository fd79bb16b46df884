import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, pendingMigrations, rookeryMigrations } from 'rookery/typeorm';
import packageJson from '../../package.json' with { type: 'json' };
import { buildServer } from '../support/server-process.js';

const folder = mkdtempSync(join(tmpdir(), 'rookery-migrate-'));
const url = `sqlite:${join(folder, 'rookery.db')}`;
beforeAll(buildServer, 180_000);
afterAll(() => rmSync(folder, { recursive: true }));

const command = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  promisify(execFile)(process.execPath, [packageJson.bin['rookery-migrate'], ...args], {
    env: { PATH: process.env['PATH'], ...environment },
  });

it('brings a database up to date, once', async () => {
  expect((await command([url])).stdout).toBe(`applied ${rookeryMigrations.map(({ name }) => name).join(', ')}\n`);
  const { dataSource } = await openDatabase(url);
  expect(await pendingMigrations(dataSource)).toEqual([]);
  await dataSource.destroy();
  expect((await command([], { DATABASE_URL: url })).stdout).toBe('nothing to do\n');
});

it.each(['--help', '-h'])('helps when it is asked to: %s', async (flag) => {
  const { stdout } = await command([flag], { DATABASE_URL: 'postgres://127.0.0.1:1/none' });
  expect(stdout).toContain('usage: rookery-migrate [<url>]');
  expect(stdout).toContain('DATABASE_URL');
});

it.each([[[]], [['--dry-run']], [['sqlite:a.db', 'sqlite:b.db']]])(
  'says how it is used when it is called in another way: %j',
  async (args) => {
    const usage = expect.stringContaining('usage: rookery-migrate [<url>]') as string;
    await expect(command(args)).rejects.toMatchObject({ code: 2, stdout: '', stderr: usage });
  },
);

it.each<[readonly string[], Record<string, string>, RegExp]>([
  [['mysql://u:hidden@h/d'], {}, /^rookery-migrate: url must be '.*', got 'mysql:\/\/u:…@h\/d'\n$/],
  [[], { DATABASE_URL: 'sqlite:' }, /^rookery-migrate: DATABASE_URL must be '.*', got 'sqlite:'\n$/],
  [['postgres://127.0.0.1:1/d'], {}, /^rookery-migrate: url: connect ECONNREFUSED 127\.0\.0\.1:1\n$/],
  [[], { DATABASE_URL: 'postgres://127.0.0.1:1/d' }, /^rookery-migrate: DATABASE_URL: connect ECONNREFUSED [\d.:]+\n$/],
  [[`sqlite:${import.meta.filename}`], {}, /^rookery-migrate: url: file is not a database \(sqlite:.*\)\n$/],
])('says in one line what is wrong: %j %j', async (args, environment, stderr) => {
  await expect(command(args, environment)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(stderr) as string,
  });
});
