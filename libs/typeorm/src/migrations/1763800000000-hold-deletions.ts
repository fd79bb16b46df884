import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnsFor } from './columns.js';

/** Devices that came back as gone are held until their gateway's word is plausible. */
export class HoldDeletions1763800000000 implements MigrationInterface {
  readonly name = 'HoldDeletions1763800000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of [goneDevices, gatewayAnswers, publishDeletions]) await runner.createTable(table(runner));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['publish_deletions', 'gateway_answers', 'gone_devices'])
      await runner.dropTable(`rookery_${name}`);
  }
}

const key = { isPrimary: true };

function goneDevices(runner: QueryRunner): Table {
  const { text, bigint } = columnsFor(runner);
  return new Table({
    name: 'rookery_gone_devices',
    withoutRowid: true,
    columns: [
      text('instance_id', key),
      text('platform', key),
      text('device_id', key),
      bigint('registered_until'),
      text('publish_id'),
    ],
  });
}

function gatewayAnswers(runner: QueryRunner): Table {
  const { text, bigint } = columnsFor(runner);
  return new Table({
    name: 'rookery_gateway_answers',
    withoutRowid: true,
    columns: [
      text('instance_id', key),
      text('platform', key),
      bigint('answered_at', key),
      bigint('sent'),
      bigint('gone'),
    ],
  });
}

function publishDeletions(runner: QueryRunner): Table {
  const { text, bigint } = columnsFor(runner);
  return new Table({
    name: 'rookery_publish_deletions',
    withoutRowid: true,
    columns: [text('publish_id', key), text('platform', key), text('instance_id'), bigint('held'), bigint('removed')],
    indices: [
      {
        name: 'rookery_publish_deletions_held',
        columnNames: ['instance_id', 'platform', 'held'],
        where: 'held > 0',
      },
    ],
  });
}
