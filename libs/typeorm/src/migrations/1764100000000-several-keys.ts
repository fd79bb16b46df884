import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnsFor } from './columns.js';

/** An app may have several keys: all of them stand in a table of their own, where no two apps can have the same. */
export class SeveralKeys1764100000000 implements MigrationInterface {
  readonly name = 'SeveralKeys1764100000000';

  async up(runner: QueryRunner): Promise<void> {
    const { text } = columnsFor(runner);
    await runner.createTable(
      new Table({
        name: 'rookery_app_keys',
        columns: [text('key', { isPrimary: true }), text('app_id')],
        indices: [{ name: 'rookery_app_keys_by_app', columnNames: ['app_id'] }],
      }),
    );
    await runner.query('INSERT INTO rookery_app_keys (key, app_id) SELECT key, id FROM rookery_apps');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('rookery_app_keys');
  }
}
