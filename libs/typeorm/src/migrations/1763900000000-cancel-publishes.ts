import { type MigrationInterface, type QueryRunner, TableColumn } from 'typeorm';
import { columnsFor } from './columns.js';

/** A publish may be cancelled, of which whoever works on it learns when it saves. */
export class CancelPublishes1763900000000 implements MigrationInterface {
  readonly name = 'CancelPublishes1763900000000';

  async up(runner: QueryRunner): Promise<void> {
    const { bigint } = columnsFor(runner);
    await runner.addColumn('rookery_publishes', new TableColumn(bigint('cancelled_at', { isNullable: true })));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropColumn('rookery_publishes', 'cancelled_at');
  }
}
