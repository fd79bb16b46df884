import type { QueryRunner } from 'typeorm';
import { createTables } from './create-tables.js';
import { publishesToJobs } from './publishes-to-jobs.js';
import { type Row, Rows } from './rows.js';
import { webhooksToJobs } from './webhooks-to-jobs.js';

/**
 * The last migrations of the revisions before 0.1.0 that this release can migrate: 53a265f, and 0ead0d6, which added a
 * table.
 */
export const takenOver: readonly string[] = ['ListPublishes1764396500000', 'CreateSignIns1764397000000'];

/** Keeps all rows and unfinished work. It recreates no table that others reference. */
export async function takeOver(runner: QueryRunner): Promise<void> {
  const rows = new Rows(runner);
  for (const table of ['rookery_publish_lanes', 'rookery_publish_retries'])
    await rows.run(`ALTER TABLE ${table} RENAME COLUMN platform TO lane`);
  await createTables(runner);
  await rows.move<RateRow>('rookery_publish_rates', 'instance_id', ({ instance_id: name, free_at }) => ({
    rookery_request_rates: { name, free_at },
  }));
  await webhooksToJobs(rows);
  await publishesToJobs(rows);
}

interface RateRow extends Row {
  readonly instance_id: string;
  readonly free_at: number | string;
}
