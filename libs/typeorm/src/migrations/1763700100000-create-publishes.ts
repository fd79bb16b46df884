import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnsFor } from './columns.js';

export class CreatePublishes1763700100000 implements MigrationInterface {
  readonly name = 'CreatePublishes1763700100000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of [publishes, publishLanes, publishRetries, publishKeys, reports, webhooks])
      await runner.createTable(table(runner));
  }

  async down(runner: QueryRunner): Promise<void> {
    const names = ['webhooks', 'reports', 'publish_keys', 'publish_retries', 'publish_lanes', 'publishes'];
    for (const name of names) await runner.dropTable(`rookery_${name}`);
  }
}

function publishes(runner: QueryRunner): Table {
  const { text, bigint } = columnsFor(runner);
  return new Table({
    name: 'rookery_publishes',
    columns: [
      text('id', { isPrimary: true }),
      text('instance_id'),
      text('body'),
      bigint('created_at'),
      bigint('due_at', { isNullable: true }),
      text('owner', { isNullable: true }),
      bigint('finished_at', { isNullable: true }),
    ],
    indices: [
      { name: 'rookery_publishes_by_due', columnNames: ['due_at'] },
      { name: 'rookery_publishes_by_finish', columnNames: ['finished_at'] },
    ],
  });
}

function publishLanes(runner: QueryRunner): Table {
  const { text } = columnsFor(runner);
  return new Table({
    name: 'rookery_publish_lanes',
    withoutRowid: true,
    columns: [text('publish_id', { isPrimary: true }), text('platform', { isPrimary: true }), text('state')],
    foreignKeys: [ofPublish('rookery_publish_lanes_of_publish')],
  });
}

function publishRetries(runner: QueryRunner): Table {
  const { text, bigint } = columnsFor(runner);
  return new Table({
    name: 'rookery_publish_retries',
    withoutRowid: true,
    columns: [
      text('publish_id', { isPrimary: true }),
      text('platform', { isPrimary: true }),
      text('device_id', { isPrimary: true }),
      bigint('attempts'),
      bigint('due_at'),
    ],
    indices: [{ name: 'rookery_publish_retries_by_due', columnNames: ['publish_id', 'platform', 'due_at'] }],
    foreignKeys: [ofPublish('rookery_publish_retries_of_publish')],
  });
}

function publishKeys(runner: QueryRunner): Table {
  const { text, bigint } = columnsFor(runner);
  return new Table({
    name: 'rookery_publish_keys',
    withoutRowid: true,
    columns: [
      text('instance_id', { isPrimary: true }),
      text('once_key', { isPrimary: true }),
      text('fingerprint'),
      text('publish_id'),
      bigint('expires_at'),
    ],
    indices: [{ name: 'rookery_publish_keys_by_expiry', columnNames: ['expires_at'] }],
  });
}

function reports(runner: QueryRunner): Table {
  const { text } = columnsFor(runner);
  const columns = ['publish_id', 'platform', 'event', 'device_id'].map((name) => text(name, { isPrimary: true }));
  return new Table({ name: 'rookery_reports', withoutRowid: true, columns });
}

function webhooks(runner: QueryRunner): Table {
  const { text, bigint } = columnsFor(runner);
  return new Table({
    name: 'rookery_webhooks',
    columns: [
      text('id', { isPrimary: true }),
      text('queue'),
      text('endpoint'),
      bigint('free_at'),
      bigint('position'),
      text('delivery'),
    ],
    indices: [{ name: 'rookery_webhooks_by_endpoint', columnNames: ['queue', 'endpoint', 'free_at', 'position'] }],
  });
}

const ofPublish = (name: string) => ({
  name,
  columnNames: ['publish_id'],
  referencedTableName: 'rookery_publishes',
  referencedColumnNames: ['id'],
  onDelete: 'CASCADE',
});
