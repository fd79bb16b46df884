import type { DataSource, QueryRunner } from 'typeorm';
import { aloneOnSqlite, patiently } from '../database/alone-on-sqlite.js';
import { copyOfFile } from './copy-before.js';
import { createTables } from './create-tables.js';
import { type Migration, migrations } from './index.js';
import { Rows } from './rows.js';
import { takenOver } from './take-over.js';

/** The lock that serializes processes starting together. The number is arbitrary, but must be unique. */
const lockNumber = 7_665_539;

/**
 * Brings Rookery's tables up to date. Applied migrations are recorded in a separate table, apart from the migrations of
 * the host's data source. Safe to call from several processes and repeatedly. On SQLite, it copies a database that
 * already has tables first.
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
  const applied = await appliedNames(runner);
  const pending = pendingAfter(applied);
  if (pending.length === 0) return [];
  const copy = applied.size === 0 ? undefined : await patiently(() => copyOfFile(runner));
  try {
    return await aloneOnSqlite(runner, async () => {
      // Another process may have migrated meanwhile: then the copy is not of the state before.
      if (pendingAfter(await appliedNames(runner)).length === pending.length) await copy?.keep();
      return applyPending(runner);
    });
  } finally {
    await copy?.discard();
  }
}

/**
 * @returns the names of the migrations that the database still lacks
 * @throws Error if no migration leads from its revision to this one
 */
export async function pendingMigrations(dataSource: DataSource): Promise<readonly string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    return pendingAfter(await appliedNames(runner)).map(({ name }) => name);
  } finally {
    await runner.release();
  }
}

async function applyPending(runner: QueryRunner): Promise<readonly string[]> {
  const applied = await appliedNames(runner);
  const pending = pendingAfter(applied);
  if (pending.length === 0) return [];
  const rows = new Rows(runner);
  if (applied.size === 0) {
    await rows.run('CREATE TABLE IF NOT EXISTS rookery_migrations (name text PRIMARY KEY, applied_at text NOT NULL)');
    await createTables(runner);
  } else for (const migration of pending) await migration.up(runner);
  // A revision before 0.1.0, if started on this database, must not mistake the tables for its own.
  if (pending.length === migrations.length) await rows.run('DELETE FROM rookery_migrations');
  const record = 'INSERT INTO rookery_migrations (name, applied_at) VALUES (?, ?)';
  for (const { name } of pending) await rows.run(record, [name, new Date().toISOString()]);
  return pending.map(({ name }) => name);
}

async function appliedNames(runner: QueryRunner): Promise<ReadonlySet<string>> {
  if (!(await runner.hasTable('rookery_migrations'))) return new Set();
  const rows = await new Rows(runner).run('SELECT name FROM rookery_migrations');
  return new Set((rows as readonly Pick<Migration, 'name'>[]).map(({ name }) => name));
}

/**
 * Returns the migrations that a database lacks.
 *
 * @param applied the names of its applied migrations
 * @throws Error if no migration leads from there to here
 */
function pendingAfter(applied: ReadonlySet<string>): readonly Migration[] {
  const pending = migrations.filter(({ name }) => !applied.has(name));
  if (applied.size === 0 || pending.length < migrations.length) return pending;
  const last = [...applied].toSorted((one, other) => timeOf(one) - timeOf(other)).at(-1)!;
  if (takenOver.includes(last)) return pending;
  throw new Error(
    `This database was last migrated by ${last}, which this version of Rookery does not know: it opens databases of ` +
      'revision 53a265f and later. Start revision 53a265f on it first',
  );
}

const timeOf = (name: string): number => Number(name.slice(-13));
