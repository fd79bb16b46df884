import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnsFor } from './columns.js';

/**
 * The latest change of each app and instance, also of those that were removed: a process reads from here what is new to
 * it, and who changes one says which version it has seen.
 */
export class VersionSettings1764396000000 implements MigrationInterface {
  readonly name = 'VersionSettings1764396000000';

  async up(runner: QueryRunner): Promise<void> {
    const { text, bigint } = columnsFor(runner);
    await runner.createTable(
      new Table({
        name: 'rookery_setting_changes',
        columns: [text('kind', { isPrimary: true }), text('id', { isPrimary: true }), bigint('version')],
        indices: [{ name: 'rookery_setting_changes_by_version', columnNames: ['kind', 'version'] }],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('rookery_setting_changes');
  }
}
