import type { DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Broker, ChannelsModule, EventsService, InProcessBroker } from 'rookery/channels';
import { PresenceModule, PresenceService } from 'rookery/presence';
import { PostgresBroker, PostgresClusterModule, TypeOrmStorageModule, TypeOrmTriggerOutbox } from 'rookery/typeorm';
import { Client, Pool } from 'pg';
import { DataSource } from 'typeorm';
import { createHost, listen } from '../support/embedding-host.js';
import { describePostgres, newPostgresDatabase } from '../support/postgres.js';
import { SocketClient } from '../support/socket-client.js';
import { testApp } from '../support/test-app.js';
import { until } from '../support/until.js';

/** The ways in which a host names its database. */
const places: readonly (readonly [string, (url: string) => readonly DynamicModule[]])[] = [
  [
    "the host's TypeOrmModule",
    (url) => [
      TypeOrmModule.forRoot({ type: 'postgres', url }),
      TypeOrmStorageModule.forRoot({ dataSourceName: 'default' }),
    ],
  ],
  ['a data source', (url) => [TypeOrmStorageModule.forRoot({ dataSource: new DataSource({ type: 'postgres', url }) })]],
  ['a URL', (url) => [TypeOrmStorageModule.forRoot({ url })]],
  [
    'a URL with a schema of its own, beside Prisma, Kysely or Drizzle',
    (url) => [TypeOrmStorageModule.forRoot({ url: `${url}?options=-c%20search_path%3Dapart` })],
  ],
];

const ended: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).toReversed()) await end();
});

async function start(imports: readonly DynamicModule[]) {
  const { app, lines } = await createHost({ imports: [...imports] });
  ended.push(() => app.close());
  const { port } = await listen(app);
  return { app, port, lines };
}

const cluster = (options: object = {}) => [
  PostgresClusterModule.forRoot(),
  PresenceModule.forRoot(),
  ChannelsModule.forRoot({ apps: [testApp], ...options }),
];

describePostgres('PostgresClusterModule in a host', () => {
  let url: string;
  beforeEach(async () => {
    url = await newPostgresDatabase();
    await asked('CREATE SCHEMA apart');
  });

  async function asked(statement: string): Promise<readonly object[]> {
    const client = new Client(url);
    await client.connect();
    const { rows } = await client.query(statement);
    await client.end();
    return rows as object[];
  }

  it.each(places)('makes two of them a cluster by one line, on %s', async (place, storage) => {
    const one = await start([...storage(url), ...cluster()]);
    // The order of the imports makes no difference.
    const other = await start([...storage(url), ...cluster()].toReversed());
    const [alice, bob] = [await SocketClient.connect(one.port), await SocketClient.connect(other.port)];
    await alice.subscribe('presence-room', { user_id: 'alice' });
    await bob.subscribe('presence-room', { user_id: 'bob' });
    expect(await alice.next('pusher_internal:member_added')).toMatchObject({ data: expect.stringContaining('"bob"') });
    await one.app.get(EventsService).trigger(testApp.id, { name: 'e', channel: 'presence-room', data: 'd' });
    for (const client of [alice, bob]) expect(await client.next('e')).toMatchObject({ data: 'd' });
    const room = { scope: testApp.id, name: 'presence-room' };
    expect(await other.app.get(PresenceService).members(room)).toEqual([{ userId: 'alice' }, { userId: 'bob' }]);
    bob.close();
    expect(await alice.next('pusher_internal:member_removed')).toMatchObject({
      data: expect.stringContaining('"bob"'),
    });
    expect(other.lines.map(({ text }) => text)).toContain('2 processes are alive on this PostgreSQL');
    const schema = place.includes('schema') ? 'apart' : 'public';
    expect(await asked("SELECT DISTINCT schemaname FROM pg_tables WHERE tablename LIKE 'rookery%'")).toEqual([
      { schemaname: schema },
    ]);
    // The host would hand it over to the other first.
    alice.close();
    await alice.closing();
  });

  it("sends an event of the host's own transaction to the clients of both, beside Prisma, Kysely or Drizzle", async () => {
    const storage = () => TypeOrmStorageModule.forRoot({ url: `${url}?options=-c%20search_path%3Dapart` });
    const options = { triggerOutbox: TypeOrmTriggerOutbox };
    const clients: SocketClient[] = [];
    for (let n = 0; n < 2; n++) {
      const { port } = await start([storage(), ...cluster(options)]);
      const client = await SocketClient.connect(port);
      await client.subscribe('orders');
      clients.push(client);
    }
    // Such a library has a pool of pg, and sends the statements that its developer writes.
    const pool = new Pool({ connectionString: url });
    ended.push(() => pool.end());
    await pool.query('CREATE TABLE orders (id int PRIMARY KEY)');
    const ship = async (id: number, end: 'COMMIT' | 'ROLLBACK') => {
      const connection = await pool.connect();
      await connection.query('BEGIN');
      await connection.query('INSERT INTO orders VALUES ($1)', [id]);
      const event = [testApp.id, 'orders', 'shipped', JSON.stringify({ id })];
      await connection.query('SELECT apart.rookery_trigger($1, $2, $3, $4)', event);
      await connection.query(end);
      connection.release();
    };
    await ship(1, 'ROLLBACK');
    await ship(2, 'COMMIT');
    for (const client of clients) expect(await client.next('shipped')).toMatchObject({ data: '{"id":2}' });
    for (const client of clients) client.close();
  });

  it('leaves a port that the host has set', async () => {
    const { app } = await start([TypeOrmStorageModule.forRoot({ url }), ...cluster({ broker: InProcessBroker })]);
    expect(app.get(Broker)).toBeInstanceOf(InProcessBroker);
    expect(app.get(PostgresBroker)).toBeDefined();
  });

  it('works with presence alone', async () => {
    const modules = [PostgresClusterModule.forRoot(), PresenceModule.forRoot()];
    const hosts = [];
    for (let n = 0; n < 2; n++) hosts.push(await start([TypeOrmStorageModule.forRoot({ url }), ...modules]));
    const [one, other] = hosts.map(({ app }) => app.get(PresenceService));
    await one!.join({ scope: 'a', name: 'room' }, '1', { userId: 'alice' });
    await until(
      async () => (await other!.members({ scope: 'a', name: 'room' })).length === 1,
      'the other host has the member',
    );
  });
});

it.each<[string, readonly DynamicModule[], string]>([
  [
    'storage',
    cluster(),
    'PostgresClusterModule needs TypeOrmStorageModule: add TypeOrmStorageModule.forRoot({ url }) to the imports beside it',
  ],
  [
    'PostgreSQL',
    [TypeOrmStorageModule.forRoot({ url: 'sqlite::memory:' }), ...cluster()],
    'PostgresClusterModule: the database of TypeOrmStorageModule is SQLite, which connects no processes: name PostgreSQL, ' +
      "TypeOrmStorageModule.forRoot({ url: 'postgres://…' }), or use RedisModule.forRoot({ url })",
  ],
])('PostgresClusterModule without %s fails with one line', async (_, imports, message) => {
  for (const order of [imports, imports.toReversed()]) await expect(start(order)).rejects.toMatchObject({ message });
});
