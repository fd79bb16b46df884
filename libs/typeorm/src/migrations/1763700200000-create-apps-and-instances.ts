import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnsFor } from './columns.js';

export class CreateAppsAndInstances1763700200000 implements MigrationInterface {
  readonly name = 'CreateAppsAndInstances1763700200000';

  async up(runner: QueryRunner): Promise<void> {
    const { text } = columnsFor(runner);
    const id = text('id', { isPrimary: true });
    await runner.createTable(new Table({ name: 'rookery_instances', columns: [id, text('settings')] }));
    await runner.createTable(
      new Table({
        name: 'rookery_apps',
        columns: [id, text('key'), text('settings')],
        indices: [{ name: 'rookery_apps_by_key', columnNames: ['key'], isUnique: true }],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('rookery_apps');
    await runner.dropTable('rookery_instances');
  }
}
