import type { DataSource, QueryRunner } from 'typeorm';
import { version } from '#common';
import { aloneOnSqlite, patiently } from '../database/alone-on-sqlite.js';
import { dataSourceOf } from '../database/data-source-of.js';
import { inSchemaOf } from '../database/schema.js';
import { copyOfFile } from './copy-before.js';
import { createTables } from './create-tables.js';
import { type Migration, migrations } from './index.js';

/** The lock that serializes processes starting together. The number is arbitrary, but must be unique. */
const lockNumber = 7_665_539;

/**
 * Brings Rookery's tables up to date. Applied migrations are recorded in a separate table, apart from the migrations of
 * the host's data source. Safe to call from several processes and repeatedly. On SQLite, it copies a database that
 * already has tables first.
 *
 * @param all every migration of this release
 * @returns the names of the migrations that it applied
 */
export async function migrate(dataSource: DataSource, all = migrations): Promise<readonly string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    return await (dataSource.options.type === 'postgres' ? migratePostgres(runner, all) : migrateSqlite(runner, all));
  } finally {
    await runner.release();
  }
}

async function migratePostgres(runner: QueryRunner, all: readonly Migration[]): Promise<readonly string[]> {
  await runner.query('BEGIN');
  try {
    await runner.query('SELECT pg_advisory_xact_lock($1)', [lockNumber]);
    const applied = await applyPending(runner, all);
    await runner.query('COMMIT');
    return applied;
  } catch (error) {
    await runner.query('ROLLBACK');
    throw error;
  }
}

async function migrateSqlite(runner: QueryRunner, all: readonly Migration[]): Promise<readonly string[]> {
  const applied = await appliedNames(runner);
  const pending = pendingAfter(applied, all);
  if (pending.length === 0) return [];
  const copy = applied.size === 0 ? undefined : await patiently(() => copyOfFile(runner));
  try {
    return await aloneOnSqlite(runner, async () => {
      // Another process may have migrated meanwhile: then the copy is not of the state before.
      if (pendingAfter(await appliedNames(runner), all).length === pending.length) await copy?.keep();
      return applyPending(runner, all);
    });
  } finally {
    await copy?.discard();
  }
}

/**
 * @param all every migration of this release
 * @returns the names of the migrations that the database still lacks
 * @throws Error if the database is older than the first of them
 */
export async function pendingMigrations(dataSource: DataSource, all = migrations): Promise<readonly string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    return pendingAfter(await appliedNames(runner), all).map(({ name }) => name);
  } finally {
    await runner.release();
  }
}

async function applyPending(runner: QueryRunner, all: readonly Migration[]): Promise<readonly string[]> {
  const applied = await appliedNames(runner);
  const pending = pendingAfter(applied, all);
  if (pending.length === 0) return [];
  const inSchema = inSchemaOf(dataSourceOf(runner));
  if (applied.size === 0) {
    const table = 'CREATE TABLE IF NOT EXISTS rookery_migrations (name text PRIMARY KEY, applied_at text NOT NULL)';
    await runner.query(inSchema(table));
    await createTables(runner);
  } else for (const migration of pending) await migration.up(runner);
  const values = pending.map(({ name }) => `('${name}', '${new Date().toISOString()}')`).join(', ');
  await runner.query(inSchema(`INSERT INTO rookery_migrations (name, applied_at) VALUES ${values}`));
  return pending.map(({ name }) => name);
}

async function appliedNames(runner: QueryRunner): Promise<ReadonlySet<string>> {
  if (!(await runner.hasTable('rookery_migrations'))) return new Set();
  const text = inSchemaOf(dataSourceOf(runner))('SELECT name FROM rookery_migrations');
  const rows = (await runner.query(text)) as readonly Pick<Migration, 'name'>[];
  return new Set(rows.map(({ name }) => name));
}

/** @throws Error if the database is older than the first migration */
function pendingAfter(applied: ReadonlySet<string>, all: readonly Migration[]): readonly Migration[] {
  const pending = all.filter(({ name }) => !applied.has(name));
  if (applied.size === 0 || pending.length < all.length) return pending;
  const last = [...applied].toSorted((one, other) => timeOf(one) - timeOf(other)).at(-1)!;
  throw new Error(
    `This database was last migrated by ${last}, which is older than ${all[0]!.name}, the oldest migration that ` +
      `Rookery ${version} knows: it cannot be opened`,
  );
}

const timeOf = (name: string): number => Number(name.slice(-13));
