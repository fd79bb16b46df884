import { type MigrationInterface, type QueryRunner, TableColumn } from 'typeorm';
import { columnsFor } from './columns.js';

/** Each webhook names the claim that has it, so that one whose lease is over cannot end what another has by now. */
export class FenceWebhooks1763700300000 implements MigrationInterface {
  readonly name = 'FenceWebhooks1763700300000';

  async up(runner: QueryRunner): Promise<void> {
    const { text } = columnsFor(runner);
    await runner.addColumn('rookery_webhooks', new TableColumn(text('claim_id', { isNullable: true })));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropColumn('rookery_webhooks', 'claim_id');
  }
}
