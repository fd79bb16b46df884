import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { inSchemaOf } from '../database/schema.js';
import { dataSourceOf } from '../database/data-source-of.js';
import { resultOf } from '../database/sqlite-result.js';
import { rookeryMigrations } from './index.js';

/** Processes that start together wait for each other here. Any number that nobody else uses. */
const lockNumber = 7_665_539;

/** How long a process waits for another's migrations of a SQLite file. */
const patienceMs = 30_000;

/**
 * Brings Rookery's tables up to date. Applied migrations are kept in a table of their own, apart from those of a host
 * whose data source this is. May be called by several processes at once and any number of times.
 *
 * @returns the names of the migrations that it applied
 */
export async function migrate(dataSource: DataSource): Promise<readonly string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    await begin(runner);
    return await committed(runner, await applyPending(runner).catch((error: unknown) => undone(runner, error)));
  } finally {
    await runner.release();
  }
}

/** TypeORM would begin a transaction that another process's write can break. */
async function begin(runner: QueryRunner): Promise<void> {
  if (dataSourceOf(runner).options.type === 'better-sqlite3') return beginAlone(runner, Date.now() + patienceMs);
  await runner.query('BEGIN');
  await runner.query('SELECT pg_advisory_xact_lock($1)', [lockNumber]);
}

async function beginAlone(runner: QueryRunner, deadline: number): Promise<void> {
  try {
    await runner.query('BEGIN EXCLUSIVE');
  } catch (error) {
    // Without a code it is a transaction of the host's on this very connection.
    const result = resultOf(error);
    if (Date.now() > deadline || (result !== undefined && result !== 'busy')) throw error;
    await sleep(50);
    await beginAlone(runner, deadline);
  }
}

async function committed<T>(runner: QueryRunner, result: T): Promise<T> {
  await runner.query('COMMIT');
  return result;
}

async function undone(runner: QueryRunner, error: unknown): Promise<never> {
  await runner.query('ROLLBACK');
  throw error;
}

/** @returns the names of the migrations that a database still lacks */
export async function pendingMigrations(dataSource: DataSource): Promise<readonly string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    const applied = (await runner.hasTable('rookery_migrations')) ? await appliedNames(runner) : new Set();
    return rookeryMigrations.map(nameOf).filter((name) => !applied.has(name));
  } finally {
    await runner.release();
  }
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
