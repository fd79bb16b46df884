import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { migrate, openDatabase, pendingMigrations } from 'rookery/internal/typeorm';
import { rookery } from '../support/command-line.js';
import { buildServer } from '../support/server-process.js';
import { typed } from '../support/typed-command.js';

vi.setConfig({ testTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'rookery-migrate-'));
const url = `sqlite:${join(folder, 'rookery.db')}`;
beforeAll(buildServer, 180_000);
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

it('brings a database up to date, once', async () => {
  const { stdout } = await rookery(['migrate', '--database', url]);
  expect(stdout).toMatch(/^applied \w+(, \w+)*\n$/);
  const { dataSource } = await openDatabase(url);
  expect(await pendingMigrations(dataSource)).toEqual([]);
  await dataSource.destroy();
  expect((await rookery(['migrate'], { DATABASE_URL: url })).stdout).toBe('nothing to do\n');
});

it('refuses a database of an older revision in one line', async () => {
  const old = `sqlite:${join(folder, 'old.db')}`;
  const { dataSource } = await openDatabase(old);
  await migrate(dataSource);
  await dataSource.query('DELETE FROM rookery_migrations');
  await dataSource.query("INSERT INTO rookery_migrations VALUES ('ListPublishes1764396500000', '')");
  await dataSource.destroy();
  expect(await typed(['migrate', '--database', old])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^rookery: --database: This database was last migrated by ListPublishes\d+, which is older than .*: it cannot be opened \(.*\)\n$/,
    ) as string,
  });
});

it.each<[readonly string[], Record<string, string>, RegExp]>([
  [['--database', 'mysql://u:hidden@h/d'], {}, /^rookery: --database must be '.*', got 'mysql:…'\n$/],
  [[], { DATABASE_URL: 'sqlite:' }, /^rookery: DATABASE_URL must be '.*', got 'sqlite:'\n$/],
  [['--database', 'postgres://127.0.0.1:1/d'], {}, /^rookery: --database: connect ECONNREFUSED 127\.0\.0\.1:1\n$/],
  [[], { DATABASE_URL: 'postgres://127.0.0.1:1/d' }, /^rookery: DATABASE_URL: connect ECONNREFUSED [\d.:]+\n$/],
  [
    ['--database', `sqlite:${import.meta.filename}`],
    {},
    /^rookery: --database: file is not a database \(sqlite:.*\)\n$/,
  ],
])('reports a fault in one line: %j %j', async (args, environment, stderr) => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  expect(await typed(['migrate', ...args])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(stderr) as string,
  });
});
