import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it, vi } from 'vitest';
import { TypeOrmStorageModule, TypeOrmTriggerOutbox } from 'rookery/typeorm';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { describeDatabases } from '../support/databases.js';
import { buildModules } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 60_000 });

const script = fileURLToPath(new URL('../support/ordering-process.mjs', import.meta.url));

beforeAll(buildModules, 180_000);

describeDatabases('A host that is killed', ({ database, url }) => {
  /** Runs until it has killed itself. */
  async function killed(when: 'before' | 'after', relays: boolean): Promise<void> {
    // Node 22 calls its SQLite experimental.
    const node = ['--disable-warning=ExperimentalWarning', script];
    const run = promisify(execFile)(process.execPath, [...node, url(), when, String(relays)]);
    await expect(run).rejects.toMatchObject({ signal: 'SIGKILL', stderr: '' });
  }
  const rows = (table: string) => database().read(`SELECT 1 FROM ${table}`);
  const start = (): Promise<ChannelsServer> =>
    startChannels({
      apps: [testApp],
      triggerOutbox: TypeOrmTriggerOutbox,
      imports: [TypeOrmStorageModule.forRoot({ url: url() })],
    });

  it('before its commit leaves neither the order nor the event', async () => {
    await killed('before', true);
    await until(async () => (await rows('host_orders')).length === 0, 'the database has noticed');
    expect(await rows('rookery_triggers')).toEqual([]);
  });

  it('between its commit and the send has both, and the event is sent at the restart', async () => {
    await killed('after', true);
    expect([await rows('host_orders'), await rows('rookery_triggers')].map(({ length }) => length)).toEqual([1, 1]);
    const server = await start();
    await until(async () => (await rows('rookery_triggers')).length === 0, 'it is sent');
    const client = await SocketClient.connect(server.port);
    await client.subscribe('cache-orders');
    expect(await client.next('order-shipped')).toMatchObject({ data: 'after' });
    client.close();
    await server.close();
  });

  it('is followed by another process, whose subscribers get the event', async () => {
    await database().execute('DELETE FROM host_orders');
    const server = await start();
    const client = await SocketClient.connect(server.port);
    client.sendSubscribe('cache-orders');
    await client.next('pusher_internal:subscription_succeeded');
    await killed('after', false);
    expect(await client.next('order-shipped')).toMatchObject({ data: 'after' });
    expect(await rows('host_orders')).toHaveLength(1);
    client.close();
    await server.close();
  });
});
