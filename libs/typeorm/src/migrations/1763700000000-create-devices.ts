import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnsFor } from './columns.js';

export class CreateDevices1763700000000 implements MigrationInterface {
  readonly name = 'CreateDevices1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(devices(runner));
    await runner.createTable(deviceInterests(runner));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('rookery_device_interests');
    await runner.dropTable('rookery_devices');
  }
}

function devices(runner: QueryRunner): Table {
  const { text, bigint } = columnsFor(runner);
  return new Table({
    name: 'rookery_devices',
    columns: [
      text('id', { isPrimary: true }),
      text('instance_id'),
      text('platform'),
      text('token'),
      text('token_hash'),
      text('bundle_identifier', { isNullable: true }),
      text('user_id', { isNullable: true }),
      text('metadata'),
      bigint('registered_at'),
    ],
    indices: [
      { name: 'rookery_devices_by_token', columnNames: ['instance_id', 'token_hash'], isUnique: true },
      { name: 'rookery_devices_by_user', columnNames: ['instance_id', 'user_id', 'id'] },
    ],
  });
}

function deviceInterests(runner: QueryRunner): Table {
  const { text } = columnsFor(runner);
  return new Table({
    name: 'rookery_device_interests',
    withoutRowid: true,
    columns: [
      text('instance_id', { isPrimary: true }),
      text('interest', { isPrimary: true }),
      text('device_id', { isPrimary: true }),
    ],
    indices: [{ name: 'rookery_device_interests_by_device', columnNames: ['device_id', 'interest'] }],
    foreignKeys: [
      {
        name: 'rookery_device_interests_of_device',
        columnNames: ['device_id'],
        referencedTableName: 'rookery_devices',
        referencedColumnNames: ['id'],
        onDelete: 'CASCADE',
      },
    ],
  });
}
