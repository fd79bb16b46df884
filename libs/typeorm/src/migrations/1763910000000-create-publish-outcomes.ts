import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnsFor } from './columns.js';

const ofPublish = (name: string) => ({
  name,
  columnNames: ['publish_id'],
  referencedTableName: 'rookery_publishes',
  referencedColumnNames: ['id'],
  onDelete: 'CASCADE',
});

/** What became of each device of a publish: a row for each page, and one for each device that was heard of later. */
export class CreatePublishOutcomes1763910000000 implements MigrationInterface {
  readonly name = 'CreatePublishOutcomes1763910000000';

  async up(runner: QueryRunner): Promise<void> {
    const { text, bigint } = columnsFor(runner);
    const ofIt = text('publish_id', { isPrimary: true });
    await runner.createTable(
      new Table({
        name: 'rookery_publish_outcomes',
        columns: [ofIt, text('last_id', { isPrimary: true }), bigint('saved_at'), text('devices')],
        indices: [{ name: 'rookery_publish_outcomes_by_age', columnNames: ['saved_at'] }],
        foreignKeys: [ofPublish('rookery_publish_outcomes_of_publish')],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'rookery_publish_later_outcomes',
        withoutRowid: true,
        columns: [ofIt, text('device_id', { isPrimary: true }), bigint('saved_at'), text('outcome')],
        indices: [{ name: 'rookery_publish_later_outcomes_by_age', columnNames: ['saved_at'] }],
        foreignKeys: [ofPublish('rookery_publish_later_outcomes_of_publish')],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('rookery_publish_later_outcomes');
    await runner.dropTable('rookery_publish_outcomes');
  }
}
