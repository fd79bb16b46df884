import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { dataSourceOf } from '../database/data-source-of.js';
import { inSchemaOf } from '../database/schema.js';
import { aloneOnSqlite, patiently } from './alone-on-sqlite.js';
import { copyOfFile } from './copy-before.js';
import { rookeryMigrations } from './index.js';

/** The lock on which processes that start together wait. The number is arbitrary, but must be unique. */
const lockNumber = 7_665_539;

/**
 * Brings Rookery's tables up to date. Applied migrations are kept in a table of their own, apart from those of a host
 * whose data source this is. May be called by several processes at once and any number of times. On SQLite, a database
 * that has tables already is copied before.
 *
 * @returns the names of the migrations that it applied
 */
export async function migrate(dataSource: DataSource): Promise<readonly string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    return await (dataSource.options.type === 'postgres' ? migratePostgres(runner) : migrateSqlite(runner));
  } finally {
    await runner.release();
  }
}

async function migratePostgres(runner: QueryRunner): Promise<readonly string[]> {
  await runner.query('BEGIN');
  try {
    await runner.query('SELECT pg_advisory_xact_lock($1)', [lockNumber]);
    const applied = await applyPending(runner);
    await runner.query('COMMIT');
    return applied;
  } catch (error) {
    await runner.query('ROLLBACK');
    throw error;
  }
}

async function migrateSqlite(runner: QueryRunner): Promise<readonly string[]> {
  const pending = await pendingOf(runner);
  if (pending.length === 0) return [];
  const isNew = pending.length === rookeryMigrations.length;
  const copy = isNew ? undefined : await patiently(() => copyOfFile(runner));
  try {
    return await aloneOnSqlite(runner, async () => {
      // Another process may have applied them since: then the copy is not of what was before.
      if ((await pendingOf(runner)).length === pending.length) await copy?.keep();
      return applyPending(runner);
    });
  } finally {
    await copy?.discard();
  }
}

/** @returns the names of the migrations that a database still lacks */
export async function pendingMigrations(dataSource: DataSource): Promise<readonly string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    return await pendingOf(runner);
  } finally {
    await runner.release();
  }
}

async function pendingOf(runner: QueryRunner): Promise<readonly string[]> {
  const applied = (await runner.hasTable('rookery_migrations')) ? await appliedNames(runner) : new Set();
  return rookeryMigrations.map(nameOf).filter((name) => !applied.has(name));
}

async function applyPending(runner: QueryRunner): Promise<readonly string[]> {
  await queryOwn(
    runner,
    'CREATE TABLE IF NOT EXISTS rookery_migrations (name text PRIMARY KEY, applied_at text NOT NULL)',
  );
  const applied = await appliedNames(runner);
  const pending = rookeryMigrations.filter((migration) => !applied.has(nameOf(migration)));
  for (const migration of pending) await apply(runner, migration);
  return pending.map(nameOf);
}

async function appliedNames(runner: QueryRunner): Promise<ReadonlySet<string>> {
  const rows = (await queryOwn(runner, 'SELECT name FROM rookery_migrations')) as readonly { readonly name: string }[];
  return new Set(rows.map(({ name }) => name));
}

async function apply(runner: QueryRunner, migration: new () => MigrationInterface): Promise<void> {
  await new migration().up(runner);
  // Both values are ours: a name of the list and a date.
  const [name, now] = [nameOf(migration), new Date().toISOString()];
  await queryOwn(runner, `INSERT INTO rookery_migrations (name, applied_at) VALUES ('${name}', '${now}')`);
}

const queryOwn = (runner: QueryRunner, text: string): Promise<unknown> =>
  runner.query(inSchemaOf(dataSourceOf(runner))(text));

const nameOf = (migration: new () => MigrationInterface): string => migration.name;
