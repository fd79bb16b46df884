import { randomUUID } from 'node:crypto';
import { DataSource, type QueryRunner } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CommittedEvent } from 'rookery/channels';
import {
  dataSourceOptions,
  databaseOn,
  migrate,
  openDatabase,
  TypeOrmPublishOutbox,
  TypeOrmTriggerOutbox,
} from 'rookery/internal/typeorm';
import { usePostgres } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

describePostgres('triggers in transactions of PostgreSQL', () => {
  const { database, url } = usePostgres();
  let host: DataSource;
  let outbox: TypeOrmTriggerOutbox;
  beforeAll(async () => {
    host = await new DataSource({ ...dataSourceOptions(url(), 20), entities: [] }).initialize();
    outbox = new TypeOrmTriggerOutbox(database());
  });
  afterAll(() => host.destroy());
  beforeEach(() => database().execute('DELETE FROM rookery_triggers'));

  const trigger = ({ manager }: QueryRunner, channel: string, name: string) =>
    outbox.add([{ id: randomUUID(), appId: 'app', channel, name, data: '{}', createdAt: 1 }], {
      transaction: manager,
      committed: () => undefined,
    });
  const begin = async (): Promise<QueryRunner> => {
    const runner = host.createQueryRunner();
    await runner.startTransaction();
    return runner;
  };
  const commit = async (runner: QueryRunner): Promise<void> => {
    await runner.commitTransaction();
    await runner.release();
  };
  const claimed = (after = 0): Promise<readonly CommittedEvent[]> =>
    outbox.claim({ owner: 'relay', now: Date.now(), leaseMs: 60_000, after, limit: 10_000 });
  const names = async (): Promise<string[]> => (await claimed()).map(({ name }) => name);

  it('are in the order of commits, not of inserts', async () => {
    const [first, second] = [await begin(), await begin()];
    await trigger(first, 'orders', 'inserted first');
    await trigger(second, 'orders', 'inserted second');
    await trigger(first, 'orders', 'inserted third');
    await commit(second);
    expect(await names()).toEqual(['inserted second']);
    await commit(first);
    expect(await names()).toEqual(['inserted second', 'inserted first', 'inserted third']);
  });

  it('of many concurrent transactions are complete, and none appears before a position that was read', async () => {
    const transactions = 120;
    const channels = 5;
    const seen: CommittedEvent[] = [];
    // A reader that goes on from where it was in each channel would miss what came before that later.
    const reading = until(
      async () => {
        const found = await claimed();
        seen.push(...found);
        await outbox.done(
          'relay',
          found.map(({ id }) => id),
        );
        return seen.length >= 2 * transactions;
      },
      'all are read',
      60_000,
    );
    const one = async (n: number): Promise<void> => {
      const runner = await begin();
      // Two channels in either order: they must not wait for each other.
      const both = [n % channels, (n * 7 + 1) % channels];
      for (const channel of n % 2 ? both : both.toReversed()) await trigger(runner, `orders-${channel}`, String(n));
      await commit(runner);
    };
    await Promise.all(Array.from({ length: transactions }, (_, n) => one(n)));
    await reading;
    expect(seen).toHaveLength(2 * transactions);
    for (let channel = 0; channel < channels; channel++) {
      const positions = seen.filter((event) => event.channel === `orders-${channel}`).map(({ position }) => position);
      expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    }
  }, 60_000);

  it('wait for each other until the commit, even if the first is slow', async () => {
    const [slow, fast] = [await begin(), await begin()];
    await trigger(slow, 'orders', 'slow');
    await trigger(fast, 'orders', 'fast');
    // It has its position now, and the channel until its end.
    await slow.query('SET CONSTRAINTS ALL IMMEDIATE');
    let isCommitted = false;
    const committing = commit(fast).then(() => (isCommitted = true));
    const waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
    await until(async () => (await database().read(waiting)).length > 0, 'the fast one waits');
    expect(isCommitted).toBe(false);
    expect(await names()).toEqual([]);
    await commit(slow);
    await committing;
    expect(await names()).toEqual(['slow', 'fast']);
  });

  describe('by SQL', () => {
    const query = async <Row>(text: string, parameters: unknown[] = []): Promise<Row[]> =>
      (await host.query(text, parameters)) as Row[];

    it('are ordinary events', async () => {
      const [{ id } = { id: '' }] = await query<{ id: string }>(
        `SELECT rookery_trigger('app', 'private-orders', 'shipped', '{"id": 1}') AS id`,
      );
      const [event] = await claimed();
      expect(event).toMatchObject({ id, appId: 'app', channel: 'private-orders', name: 'shipped', data: '{"id": 1}' });
      expect(Math.abs(Date.now() - event!.createdAt)).toBeLessThan(60_000);
    });

    it('accept JSON, and keep its texts unchanged', async () => {
      await query(`SELECT rookery_trigger('app', 'a', 'object', '{"id":1}'::jsonb)`);
      await query(`SELECT rookery_trigger('app', 'a', 'text', to_jsonb('hi'::text), '12.34')`);
      expect(await claimed()).toMatchObject([{ data: '{"id": 1}' }, { data: 'hi', socketId: '12.34' }]);
    });

    it('are committed with their transaction or not at all', async () => {
      const runner = await begin();
      await runner.query(`SELECT rookery_trigger('app', 'a', 'undone', 'x')`);
      await runner.rollbackTransaction();
      await runner.release();
      expect(await claimed()).toEqual([]);
    });

    it('wake listeners when they are committed', async () => {
      let woken = 0;
      const stop = outbox.watch(() => (woken += 1))!;
      await until(() => woken === 1, 'it listens');
      const runner = await begin();
      await runner.query(`SELECT rookery_trigger('app', 'a', 'x', 'x')`);
      await runner.query('SELECT 1');
      expect(woken).toBe(1);
      await commit(runner);
      await until(() => woken === 2, 'it is woken');
      await stop();
    });

    const refused = [
      [`'app', NULL, 'e', 'd'`, 'Missing required parameter: channel'],
      [`'app', 'a b', 'e', 'd'`, "Invalid channel name: 'a b'"],
      [`'app', '#server-to-user-', 'e', 'd'`, "Invalid channel name: '#server-to-user-'"],
      [`'app', repeat('x', 201), 'e', 'd'`, `Invalid channel name: '${'x'.repeat(60)}…'`],
      [`'app', 'a', NULL, 'd'`, 'Missing required parameter: name'],
      [`'app', 'a', '', 'd'`, 'name must be a text that is not empty'],
      [`'app', 'a', repeat('x', 201), 'd'`, 'Event name is longer than 200 characters'],
      [`'app', 'a', 'pusher:x', 'd'`, "Event name 'pusher:x' is reserved: it begins with pusher: or pusher_internal:"],
      [`'app', 'a', 'e', NULL::text`, 'Missing required parameter: data'],
      [`'app', 'a', 'e', 'null'::jsonb`, 'Missing required parameter: data'],
      [`'app', 'a', 'e', 'd', 'x'`, "Invalid socket id: 'x'"],
      [`'app', 'a', 'e', repeat('é', 5121)`, 'exceeds the allowed maximum (10240 bytes)'],
    ] as const;
    it.each(refused)('refuse %s', async (values, message) => {
      await expect(query(`SELECT rookery_trigger(${values})`)).rejects.toThrow(message);
    });

    it.each(['presence-room.1', '#server-to-user-auth0|abc', 'private-encrypted-a;b,c=d@e'])(
      'take the channel %s',
      async (channel) => {
        await query('SELECT rookery_trigger($1, $2, $3, $4)', ['app', channel, 'e', 'x'.repeat(10_240)]);
        expect(await claimed()).toMatchObject([{ channel }]);
      },
    );
  });

  describe('publishes by SQL', () => {
    const instance = '8f9a6e22-2483-49aa-8552-125f1a4c5781';
    const call = async (name: string, ...values: unknown[]): Promise<string> => {
      const slots = values.map((_, index) => `$${index + 1}`).join(', ');
      const [row] = (await host.query(`SELECT ${name}(${slots}) AS id`, values)) as { id: string }[];
      return row!.id;
    };
    const found = async (id: string) => (await new TypeOrmPublishOutbox(database()).find(instance, id))?.publish;
    const fcm = { notification: { title: 'hi' }, data: { keep: null } };

    it('to interests are due at once', async () => {
      const id = await call('rookery_publish', instance, ['news', 'a-b'], { fcm, webhookUrl: 'https://example.com/x' });
      expect(id).toMatch(/^pubid-[0-9a-f-]{36}$/);
      expect(await found(id)).toMatchObject({
        id,
        instanceId: instance,
        target: { interests: ['news', 'a-b'] },
        payloads: { fcm },
        webhookUrl: 'https://example.com/x',
      });
      const asked = { id: 'me', now: Date.now() + 1000, limit: 1, perKey: 1, busy: new Set<string>(), leaseMs: 1 };
      expect(await new TypeOrmPublishOutbox(database()).jobs.claim(asked)).toMatchObject([
        { id, owner: instance, key: id },
      ]);
    });

    it('to users can be scheduled', async () => {
      const later = new Date(Date.now() + 3_600_000);
      const id = await call('rookery_publish_to_users', instance, ['ünïcödé'], { apns: { aps: {} } }, later);
      expect(await found(id)).toMatchObject({
        target: { users: ['ünïcödé'] },
        payloads: { apns: { aps: {} } },
        publishAt: later.getTime(),
      });
    });

    const deep = JSON.parse('{"a":'.repeat(100) + '{}' + '}'.repeat(100)) as object;
    const refused: readonly (readonly [string, unknown, unknown])[] = [
      ['`interests`: interests is required', null, { fcm }],
      ['`interests`: Array must have at least 1 items', [], { fcm }],
      ['`interests`: Array must have at most 100 items', Array.from({ length: 101 }, (_, n) => `i${n}`), { fcm }],
      ["`interests.1`: Does not match pattern '^[a-zA-Z0-9_\\-=@,.;]+$'", ['a', 'a b'], { fcm }],
      ['`interests.0`: String length must be less than or equal to 164', ['x'.repeat(165)], { fcm }],
      ['`interests`: array items must be unique', ['a', 'a'], { fcm }],
      ['`(root)`: Must validate at least one schema (anyOf)', ['a'], {}],
      ['`(root)`: Invalid type. Expected: object, given: array', ['a'], '[]'],
      ['`web`: Invalid type. Expected: object, given: null', ['a'], { web: null }],
      ['`fcm.time_to_live`: Must be less than or equal to 2419200', ['a'], { fcm: { time_to_live: 2_419_201 } }],
      ['`fcm.time_to_live`: Must be greater than or equal to 0', ['a'], { fcm: { time_to_live: -1 } }],
      ['`fcm.time_to_live`: Invalid type. Expected: integer, given: number', ['a'], { fcm: { time_to_live: 0.5 } }],
      ['`apns.aps`: Invalid type. Expected: object, given: string', ['a'], { apns: { aps: 'hi' } }],
      ['`apns.priority`: apns.priority must be one of the following: 1, 5, 10', ['a'], { apns: { priority: 7 } }],
      ['`web.data.pusher`: Additional property pusher is not allowed', ['a'], { web: { data: { pusher: {} } } }],
      ["`webhookUrl`: Does not match format 'uri'", ['a'], { fcm, webhookUrl: 'file:///etc/passwd' }],
      ['`users`: Additional property users is not allowed', ['a'], { fcm, users: ['b'] }],
      ['`fcm`: Must not be nested deeper than 100 levels', ['a'], { fcm: deep }],
      // TypeORM takes the word Request from the beginning of messages.
      ['body size is too large (max 10KiB).', ['a'], { fcm: { data: { a: 'x'.repeat(10_240) } } }],
    ];
    it.each(refused)('are refused: %s', async (message, interests, body) => {
      await expect(call('rookery_publish', instance, interests, body)).rejects.toThrow(message);
    });

    it('are refused with an invalid user, an invalid instance, or a date too far ahead', async () => {
      await expect(call('rookery_publish_to_users', instance, [''], { fcm })).rejects.toThrow(
        '`users.0`: String length must be greater than or equal to 1',
      );
      await expect(call('rookery_publish', 'x', ['a'], { fcm })).rejects.toThrow('The instance id given is invalid');
      const late = new Date(Date.now() + 29 * 86_400_000);
      await expect(call('rookery_publish', instance, ['a'], { fcm }, late)).rejects.toThrow('at most 28 days ahead');
    });

    it('accept a hundred levels of payload', async () => {
      const { a } = deep as { a: object };
      expect(await call('rookery_publish', instance, ['a'], { fcm: a })).toMatch(/^pubid-/);
    });
  });

  it('work in a schema, for connections with another search path', async () => {
    await host.query('CREATE SCHEMA of_host');
    const inSchema = new DataSource({ ...dataSourceOptions(url()), schema: 'of_host' } as never);
    await inSchema.initialize();
    await migrate(inSchema);
    await host.query(`SELECT of_host.rookery_trigger('app', 'a', 'in the schema', '{}'::jsonb)`);
    await host.query('SELECT of_host.rookery_publish($1, $2, $3)', [randomUUID(), ['a'], { fcm: {} }]);
    const other = new TypeOrmTriggerOutbox(await databaseOn(inSchema));
    await inSchema.transaction((transaction) =>
      other.add([{ id: randomUUID(), appId: 'app', channel: 'a', name: 'added', data: '', createdAt: 1 }], {
        transaction,
        committed: () => undefined,
      }),
    );
    const claim = { owner: 'relay', now: 1, leaseMs: 1, after: 0, limit: 9 };
    const events = await other.claim(claim);
    expect(events.map(({ name }) => name)).toEqual(['in the schema', 'added']);
    await other.done(
      'relay',
      events.map(({ id }) => id),
    );
    expect(await other.claim(claim)).toEqual([]);
    expect(await claimed()).toEqual([]);
    await inSchema.destroy();
  });

  it('come by SQL from a connection of the application, whose search path is another than that of Rookery', async () => {
    await host.query('CREATE SCHEMA realtime');
    await host.query('CREATE TABLE orders (id int PRIMARY KEY, is_shipped boolean NOT NULL)');
    await host.query('INSERT INTO orders VALUES (7, false)');
    const own = await openDatabase(`${url()}?options=-c%20search_path%3Drealtime`);
    await migrate(own.dataSource);
    let woken = 0;
    const inSchema = new TypeOrmTriggerOutbox(own);
    const stop = inSchema.watch(() => (woken += 1))!;
    await until(() => woken === 1, 'it listens');
    const ship = (end: 'COMMIT' | 'ROLLBACK') =>
      host.transaction(async (manager) => {
        await manager.query('UPDATE orders SET is_shipped = true WHERE id = 7');
        await manager.query("SELECT realtime.rookery_trigger('app', 'orders', 'order-shipped', $1)", ['{"id":7}']);
        if (end === 'ROLLBACK') throw new Error(end);
      });
    await expect(ship('ROLLBACK')).rejects.toThrow();
    await ship('COMMIT');
    await until(() => woken === 2, 'it is woken');
    const claim = { owner: 'relay', now: Date.now(), leaseMs: 60_000, after: 0, limit: 10 };
    expect(await inSchema.claim(claim)).toMatchObject([
      { appId: 'app', channel: 'orders', name: 'order-shipped', data: '{"id":7}' },
    ]);
    expect(await claimed()).toEqual([]);
    await stop();
    await own.close();
  });
});
