import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnsFor } from './columns.js';

export class CreatePublishRates1763920000000 implements MigrationInterface {
  readonly name = 'CreatePublishRates1763920000000';

  async up(runner: QueryRunner): Promise<void> {
    const { text, bigint } = columnsFor(runner);
    const columns = [text('instance_id', { isPrimary: true }), bigint('free_at')];
    await runner.createTable(new Table({ name: 'rookery_publish_rates', withoutRowid: true, columns }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('rookery_publish_rates');
  }
}
