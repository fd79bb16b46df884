import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase } from 'rookery/internal/typeorm';
import type { QueryRunner } from 'typeorm';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { migrations } from '../../libs/typeorm/src/migrations/index.js';
import { command } from '../support/command-line.js';
import { describePostgres, newPostgresDatabase } from '../support/postgres.js';
import { previousRelease, unpackPreviousRelease } from '../support/previous-release.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { buildServer } from '../support/server-process.js';
import { describeInstalled } from '../support/programs.js';
import { SeededUpgrade } from './seeded-upgrade.js';
import { upgradeOf } from './upgrade-schedule.js';

vi.setConfig({ testTimeout: 120_000 });

let previous: ReturnType<typeof unpackPreviousRelease>;
beforeAll(async () => {
  previous = unpackPreviousRelease();
  await buildServer();
}, 180_000);
afterAll(() => rmSync(previous.folder, { recursive: true }));

/** As the next release may have one: it needs the column of one before. */
const forgetGone = {
  name: 'ForgetGone1999000000000',
  up: (runner: QueryRunner) => runner.query('UPDATE rookery_devices SET gone_since = NULL'),
};
/** No release had them. From the first one on, a release keeps what the one before uses: this must then be empty. */
const removedBeforeRelease = new Set(['rookery_gone_devices', 'rookery_gateway_answers', 'rookery_publish_deletions']);
const ofNextRelease = [...migrations, forgetGone];
const [first, ...later] = migrations;

describeInstalled('tar')(`a process on SQLite that a seed upgrades from ${previousRelease} and back`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-seeded-upgrade-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let files = 0;

  const upgrade = (seed: number, all = ofNextRelease) =>
    SeededUpgrade.run(upgradeOf(seed, 1, 4), {
      previous: previous.command,
      databaseUrl: `sqlite:${join(folder, `${++files}.db`)}`,
      processes: 1,
      migrations: all,
    });

  it.each([5, 7])('loses nothing (seed %i)', async (seed) => {
    await expect(upgrade(seed)).resolves.toBeUndefined();
  });

  it('finds its tables and columns in a database that this revision created, but for those removed before 0.1.0', async () => {
    const columnsOf = async (command: string): Promise<readonly string[]> => {
      const url = `sqlite:${join(folder, `${++files}.db`)}`;
      await promisify(execFile)(process.execPath, [command, 'migrate', '--database', url]);
      const { dataSource } = await openDatabase(url);
      const rows = await dataSource.query<readonly { readonly name: string }[]>(
        `SELECT tables.name || '.' || columns.name AS name FROM sqlite_master AS tables
         JOIN pragma_table_info(tables.name) AS columns WHERE tables.name LIKE 'rookery_%' AND tables.type = 'table'`,
      );
      await dataSource.destroy();
      return rows.map(({ name }) => name);
    };
    const [before, now] = await Promise.all([previous.command, command].map(columnsOf));
    expect(before!.length).toBeGreaterThan(100);
    const lacking = before!.filter((name) => !now!.includes(name));
    expect(new Set(lacking.map((name) => name.split('.')[0]))).toEqual(removedBeforeRelease);
  });

  it('would fail if a migration were applied before the one that it needs', async () => {
    await expect(upgrade(7, [first!, forgetGone, ...later])).rejects.toThrow(/no such column: gone_since/);
  });
});

describeRedis('processes on Redis', () => {
  describePostgres(`and PostgreSQL that a seed upgrades from ${previousRelease} and back`, () => {
    let redis: TestRedis;
    beforeEach(async () => void (redis = await TestRedis.start()));
    afterEach(() => redis.stop());

    const upgrade = async (seed: number, all = ofNextRelease) =>
      SeededUpgrade.run(upgradeOf(seed, 3, 5), {
        previous: previous.command,
        databaseUrl: await newPostgresDatabase(),
        redisUrl: redis.url,
        processes: 3,
        migrations: all,
      });

    it.each([6, 8])('lose nothing (seed %i)', async (seed) => {
      await expect(upgrade(seed)).resolves.toBeUndefined();
    });

    it('would fail if a migration required a column that the release before does not know', async () => {
      const required = {
        name: later[0]!.name,
        async up(runner: QueryRunner) {
          await runner.query('ALTER TABLE rookery_devices ADD COLUMN gone_since bigint NOT NULL DEFAULT 0');
          await runner.query('ALTER TABLE rookery_devices ALTER COLUMN gone_since DROP DEFAULT');
        },
      };
      const all = [first!, required, ...later.slice(1), forgetGone];
      await expect(upgrade(8, all)).rejects.toThrow(/^500: /);
    });
  });
});
