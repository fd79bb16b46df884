import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnsFor } from './columns.js';

/** Webhooks that were given up are kept as dead letters, to be sent again. */
export class BuryWebhooks1764310000000 implements MigrationInterface {
  readonly name = 'BuryWebhooks1764310000000';

  async up(runner: QueryRunner): Promise<void> {
    const { text, bigint } = columnsFor(runner);
    await runner.createTable(
      new Table({
        name: 'rookery_dead_webhooks',
        columns: [
          text('id', { isPrimary: true }),
          text('queue'),
          text('owner'),
          text('place'),
          bigint('died_at'),
          text('reason'),
          text('delivery'),
        ],
        indices: [
          { name: 'rookery_dead_webhooks_by_owner', columnNames: ['queue', 'owner', 'place'] },
          { name: 'rookery_dead_webhooks_by_age', columnNames: ['queue', 'place'] },
        ],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('rookery_dead_webhooks');
  }
}
