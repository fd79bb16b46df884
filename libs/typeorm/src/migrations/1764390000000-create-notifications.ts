import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnsFor } from './columns.js';

/** What users are told wherever they are. */
export class CreateNotifications1764390000000 implements MigrationInterface {
  readonly name = 'CreateNotifications1764390000000';

  async up(runner: QueryRunner): Promise<void> {
    const { text, bigint } = columnsFor(runner);
    const orNot = { isNullable: true };
    await runner.createTable(
      new Table({
        name: 'rookery_notifications',
        columns: [
          text('id', { isPrimary: true }),
          text('app_id'),
          text('user_id'),
          text('event_name'),
          text('event_data'),
          text('push', orNot),
          text('collapse_key', orNot),
          text('quiet_hours', orNot),
          bigint('created_at'),
          bigint('push_at', orNot),
          bigint('due_at', orNot),
          text('owner', orNot),
          bigint('shown_at', orNot),
          bigint('pushed_at', orNot),
          text('publish_id', orNot),
          bigint('skipped_at', orNot),
          bigint('read_at', orNot),
          bigint('withdrawn_at', orNot),
        ],
        indices: [
          { name: 'rookery_notifications_by_due', columnNames: ['due_at'] },
          { name: 'rookery_notifications_by_age', columnNames: ['app_id', 'created_at'] },
          { name: 'rookery_notifications_of_user', columnNames: ['app_id', 'user_id', 'created_at', 'id'] },
          {
            name: 'rookery_notifications_unread',
            columnNames: ['app_id', 'user_id'],
            where: '"read_at" IS NULL AND "withdrawn_at" IS NULL',
          },
          {
            name: 'rookery_notifications_pushed',
            columnNames: ['app_id', 'user_id', 'pushed_at'],
            where: '"pushed_at" IS NOT NULL',
          },
        ],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('rookery_notifications');
  }
}
