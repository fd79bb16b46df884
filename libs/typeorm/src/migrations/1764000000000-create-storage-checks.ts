import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnsFor } from './columns.js';

/** Where health checks write, to see whether the database takes writes. */
export class CreateStorageChecks1764000000000 implements MigrationInterface {
  readonly name = 'CreateStorageChecks1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    const { text } = columnsFor(runner);
    const columns = [text('id', { isPrimary: true }), text('padding')];
    await runner.createTable(new Table({ name: 'rookery_storage_checks', columns }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('rookery_storage_checks');
  }
}
