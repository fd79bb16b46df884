import type { QueryRunner } from 'typeorm';
import { createTables } from './create-tables.js';

/** A session's positions get a table of their own, so that a new one costs one row. */
export async function partSessions(runner: QueryRunner): Promise<void> {
  // An earlier step may have created the table as it is now.
  if (!(await runner.hasColumn('rookery_sessions', 'bytes')))
    await runner.query('ALTER TABLE rookery_sessions ADD COLUMN bytes bigint NOT NULL DEFAULT 0');
  await createTables(runner);
}
