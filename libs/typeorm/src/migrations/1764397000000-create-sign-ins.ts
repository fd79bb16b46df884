import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnsFor } from './columns.js';

export class CreateSignIns1764397000000 implements MigrationInterface {
  readonly name = 'CreateSignIns1764397000000';

  async up(runner: QueryRunner): Promise<void> {
    const { text, bigint } = columnsFor(runner);
    const columns = [text('name', { isPrimary: true }), bigint('ends_at')];
    await runner.createTable(new Table({ name: 'rookery_sign_ins', withoutRowid: true, columns }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('rookery_sign_ins');
  }
}
