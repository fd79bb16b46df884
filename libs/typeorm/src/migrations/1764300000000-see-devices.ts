import { type MigrationInterface, type QueryRunner, TableColumn } from 'typeorm';
import { columnsFor } from './columns.js';

/** When a device was last seen, for devices that expire. */
export class SeeDevices1764300000000 implements MigrationInterface {
  readonly name = 'SeeDevices1764300000000';

  async up(runner: QueryRunner): Promise<void> {
    const { bigint } = columnsFor(runner);
    await runner.addColumn('rookery_devices', new TableColumn(bigint('seen_at', { isNullable: true })));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropColumn('rookery_devices', 'seen_at');
  }
}
