import { type MigrationInterface, type QueryRunner, TableColumn } from 'typeorm';
import { columnsFor } from './columns.js';

/** A publish can be cancelled; its worker learns of it at the next save. */
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
