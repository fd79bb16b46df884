import { type MigrationInterface, type QueryRunner, Table, TableColumn } from 'typeorm';
import { columnsFor } from './columns.js';

/** Ranges of a publish that were handed over are claimed for themselves, each with an owner of its own. */
export class SharePublishes1764200000000 implements MigrationInterface {
  readonly name = 'SharePublishes1764200000000';

  async up(runner: QueryRunner): Promise<void> {
    const { text, bigint } = columnsFor(runner);
    await runner.addColumn('rookery_publishes', new TableColumn(bigint('wanted_at', { isNullable: true })));
    await runner.createTable(
      new Table({
        name: 'rookery_publish_ranges',
        withoutRowid: true,
        columns: [
          text('publish_id', { isPrimary: true }),
          text('lane', { isPrimary: true }),
          bigint('due_at'),
          text('owner', { isNullable: true }),
        ],
        indices: [{ name: 'rookery_publish_ranges_by_due', columnNames: ['due_at'] }],
        foreignKeys: [
          {
            name: 'rookery_publish_ranges_of_publish',
            columnNames: ['publish_id'],
            referencedTableName: 'rookery_publishes',
            referencedColumnNames: ['id'],
            onDelete: 'CASCADE',
          },
        ],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('rookery_publish_ranges');
    await runner.dropColumn('rookery_publishes', 'wanted_at');
  }
}
