import { type MigrationInterface, type QueryRunner, TableIndex } from 'typeorm';

const name = 'rookery_publishes_latest';

/** The publishes of an instance are listed, the newest first. */
export class ListPublishes1764396500000 implements MigrationInterface {
  readonly name = 'ListPublishes1764396500000';

  async up(runner: QueryRunner): Promise<void> {
    const columnNames = ['instance_id', 'created_at', 'id'];
    await runner.createIndex('rookery_publishes', new TableIndex({ name, columnNames }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('rookery_publishes', name);
  }
}
