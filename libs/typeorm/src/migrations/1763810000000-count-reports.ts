import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { inSchemaOf } from '../database/schema.js';
import { columnsFor } from './columns.js';
import { dataSourceOf } from '../database/data-source-of.js';

/** The reports of a publish are counted as they come: reading them all would hold up a process that asks. */
export class CountReports1763810000000 implements MigrationInterface {
  readonly name = 'CountReports1763810000000';

  async up(runner: QueryRunner): Promise<void> {
    const { text, bigint } = columnsFor(runner);
    const key = ['publish_id', 'platform', 'event'].map((name) => text(name, { isPrimary: true }));
    const columns = [...key, bigint('part', { isPrimary: true }), bigint('count')];
    await runner.createTable(new Table({ name: 'rookery_report_counts', withoutRowid: true, columns }));
    const counted = `INSERT INTO rookery_report_counts (publish_id, platform, event, part, count)
      SELECT publish_id, platform, event, 0, COUNT(*) FROM rookery_reports GROUP BY publish_id, platform, event`;
    await runner.query(inSchemaOf(dataSourceOf(runner))(counted));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('rookery_report_counts');
  }
}
