import { afterEach, expect, it } from 'vitest';
import { type Database, TypeOrmJobStore } from 'rookery/typeorm';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { type TestDatabase, useOwnPostgres, useSqlite } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';
import { describeNode } from '../support/services.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/** Has the database refuse all writes from now on, as a full disk or a failover does, or take them again. */
async function refuseWrites({ dataSource }: Database, refuse: boolean): Promise<void> {
  const word = refuse ? 'on' : 'off';
  if (dataSource.options.type !== 'postgres') return void (await dataSource.query(`PRAGMA query_only = ${word}`));
  await dataSource.query(`ALTER SYSTEM SET default_transaction_read_only = ${word}`);
  await dataSource.query('SELECT pg_reload_conf()');
  const shown = async () => (await dataSource.query('SHOW default_transaction_read_only'))[0];
  await until(async () => (await shown()).default_transaction_read_only === word, `read-only is ${word}`);
}

describeNode('webhooks of channels on SQLite', () => areEachSentOnce(useSqlite()));
describePostgres('webhooks of channels on PostgreSQL', () => areEachSentOnce(useOwnPostgres()));

function areEachSentOnce({ database }: TestDatabase): void {
  const channels = Array.from({ length: 11 }, (_, n) => `news-${n}`);
  let receiver: WebhookReceiver;
  let server: ChannelsServer;
  afterEach(async () => {
    await server.close();
    await receiver.close();
  });

  it('are each sent once after an outage of the database', async () => {
    receiver = await WebhookReceiver.start();
    server = await startChannels({
      apps: [{ ...testApp, webhooks: [{ url: receiver.url('/hook'), events: ['channel_occupied'] }] }],
      webhookOutbox: { useFactory: () => new TypeOrmJobStore(database(), 'channels') },
    });
    const client = await SocketClient.connect(server.port);
    await client.subscribe('before');
    await receiver.untilEvents('/hook', 1);

    await refuseWrites(database(), true);
    for (const channel of channels) await client.subscribe(channel);
    await expect(database().execute("DELETE FROM rookery_jobs WHERE id = 'x'", [])).rejects.toThrow();
    await refuseWrites(database(), false);

    const events = await receiver.untilEvents('/hook', 1 + channels.length);
    expect(new Set(events.map(({ channel }) => channel))).toEqual(new Set(['before', ...channels]));
    expect(events).toHaveLength(1 + channels.length);
  });
}
