import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnsFor } from './columns.js';

/** Webhooks become jobs. */
export class CreateJobs1764400000000 implements MigrationInterface {
  readonly name = 'CreateJobs1764400000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(jobs(runner));
    await runner.createTable(deadJobs(runner));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['rookery_dead_jobs', 'rookery_jobs']) await runner.dropTable(name);
  }
}

function jobs(runner: QueryRunner): Table {
  const { text, bigint } = columnsFor(runner);
  return new Table({
    name: 'rookery_jobs',
    columns: [
      text('queue', { isPrimary: true }),
      text('id', { isPrimary: true }),
      text('owner'),
      text('key'),
      bigint('due_at'),
      bigint('free_at'),
      bigint('due_by', { isNullable: true }),
      text('claim_id', { isNullable: true }),
      bigint('position'),
      text('data'),
      text('state'),
    ],
    indices: [
      { name: 'rookery_jobs_by_turn', columnNames: ['queue', 'free_at', 'position'] },
      { name: 'rookery_jobs_by_key', columnNames: ['queue', 'key', 'free_at', 'position'] },
    ],
  });
}

function deadJobs(runner: QueryRunner): Table {
  const { text, bigint } = columnsFor(runner);
  return new Table({
    name: 'rookery_dead_jobs',
    columns: [
      text('queue', { isPrimary: true }),
      text('id', { isPrimary: true }),
      text('owner'),
      text('place'),
      bigint('died_at'),
      text('reason'),
      text('key'),
      bigint('due_at'),
      text('data'),
      text('state'),
    ],
    indices: [
      { name: 'rookery_dead_jobs_by_owner', columnNames: ['queue', 'owner', 'place'] },
      { name: 'rookery_dead_jobs_by_age', columnNames: ['queue', 'place'] },
    ],
  });
}
