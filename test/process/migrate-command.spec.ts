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

it('says how it is used, and fails when it cannot', async () => {
  await expect(command([])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('rookery-migrate <url>'),
  });
  await expect(command(['mysql://x'])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('url must be'),
  });
});
