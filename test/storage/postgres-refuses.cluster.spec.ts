import { Client } from 'pg';
import type { PresenceChannel } from 'pusher-js';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { app, subscribed, TestCluster } from '../support/cluster.js';
import { describePostgres, newPostgresDatabase } from '../support/postgres.js';
import { buildServer, type ServerProcess } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';
import { TriggerLoad } from '../support/trigger-load.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 180_000 });

const patienceMs = 60_000;

describePostgres('two processes on a PostgreSQL', () => {
  const ending: (() => unknown)[] = [];
  beforeAll(() => buildServer(), 180_000);
  afterEach(async () => {
    for (const end of ending.splice(0).toReversed()) await end();
  });

  /** The database's operator, on a connection that its settings leave alone. */
  async function operate(url: string) {
    const client = new Client(url);
    await client.connect();
    ending.push(() => client.end());
    const name = new URL(url).pathname.slice(1);
    return {
      client,
      set: (setting: string) => client.query(`ALTER DATABASE ${name} ${setting}`),
      /** New connections have what was set. */
      endOthers: () =>
        client.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        ),
    };
  }

  async function start(count: number, url: string, settings: object = {}): Promise<TestCluster> {
    const cluster = await TestCluster.start(count, { environment: { DATABASE_URL: url }, app: settings });
    ending.push(() => cluster.stop());
    return cluster;
  }

  /** Triggers an event that is a number. @returns the status of the answer */
  const trigger = async (cluster: TestCluster, server: ServerProcess, n: number): Promise<number> => {
    const answer = cluster.server(server).trigger('news', 'number', n);
    return (await answer.catch((error: unknown) => error as { readonly status: number })).status;
  };

  /** A member on each process, and the numbers that the clients of the second one hear. */
  async function openPages(cluster: TestCluster) {
    const rooms: PresenceChannel[] = [];
    const numbers: number[] = [];
    const states: string[] = [];
    for (const [n, server] of cluster.processes.entries()) {
      const client = await cluster.client(server, { user_id: `user-${n}` });
      client.connection.bind('state_change', ({ current }: { current: string }) => states.push(current));
      rooms.push((await subscribed(client, 'presence-room')) as PresenceChannel);
      if (n === 1) (await subscribed(client, 'news')).bind('number', (value: number) => numbers.push(value));
    }
    await until(() => rooms.every(({ members }) => members.count === rooms.length), 'all see all', patienceMs);
    return { rooms, numbers, states };
  }

  it('keep their clients while it is read-only after a failover, and go on once it is not', async () => {
    const url = await newPostgresDatabase();
    const operator = await operate(url);
    const cluster = await start(2, url);
    const { rooms, numbers, states } = await openPages(cluster);
    const [one, two] = cluster.processes as [ServerProcess, ServerProcess];
    const late = await cluster.client(two, { user_id: 'late' });

    await operator.client.query('SET default_transaction_read_only = off');
    await operator.set('SET default_transaction_read_only = on');
    await operator.endOthers();
    await until(async () => (await trigger(cluster, one, 0)) === 503, 'triggers are refused', patienceMs);
    const room = late.subscribe('presence-room') as PresenceChannel;
    // As while Redis refuses writes: it is counted before it is greeted.
    const newcomer = await SocketClient.open(two.port, app);

    await operator.set('RESET default_transaction_read_only');
    await operator.endOthers();
    await until(async () => (await trigger(cluster, one, 1)) === 200, 'triggers are accepted', patienceMs);
    await until(() => numbers.includes(1), 'they arrive at the other process', patienceMs);
    await until(() => room.subscribed, 'who subscribed meanwhile is on the channel', patienceMs);
    expect(await newcomer.next('pusher:connection_established')).toBeDefined();
    newcomer.close();
    await until(() => [...rooms, room].every(({ members }) => members.count === 3), 'all see all', patienceMs);
    expect(states, 'no client was disconnected').toEqual([]);
    expect(cluster.output).not.toMatch(/Internal server error|TypeError/);
  });

  it('refuse what a statement_timeout ends, and have subscribers wait', async () => {
    const url = await newPostgresDatabase();
    const operator = await operate(url);
    const cluster = await start(2, url);
    const { rooms, numbers, states } = await openPages(cluster);
    const [one, two] = cluster.processes as [ServerProcess, ServerProcess];
    const late = await cluster.client(two, { user_id: 'late' });
    await operator.set("SET statement_timeout = '500ms'");
    await operator.endOthers();
    await until(async () => (await trigger(cluster, one, 0)) === 200, 'triggers are accepted', patienceMs);

    // As maintenance does: all writers wait for the lock.
    await operator.client.query('BEGIN');
    await operator.client.query('LOCK TABLE rookery_event_order, rookery_lanes IN EXCLUSIVE MODE');
    expect(await trigger(cluster, one, 1)).toBe(503);
    const room = late.subscribe('presence-room') as PresenceChannel;
    await until(async () => (await waiting(operator.client)) > 0, 'it waits for the lock', patienceMs);
    await operator.client.query('COMMIT');

    await until(async () => (await trigger(cluster, one, 2)) === 200, 'triggers are accepted', patienceMs);
    await until(() => numbers.includes(2), 'they arrive at the other process', patienceMs);
    await until(() => room.subscribed, 'who subscribed meanwhile is on the channel', patienceMs);
    await until(() => [...rooms, room].every(({ members }) => members.count === 3), 'all see all', patienceMs);
    expect(states, 'no client was disconnected').toEqual([]);
    expect(cluster.output).not.toMatch(/Internal server error|TypeError/);
  });

  it('become two although the first is stopped, which is longer than statement_timeout', async () => {
    const url = await newPostgresDatabase();
    const operator = await operate(url);
    const cluster = await start(1, url);
    await operator.set("SET statement_timeout = '1s'");
    const [one] = cluster.processes as [ServerProcess];
    one.signal('SIGSTOP');
    ending.push(() => one.signal('SIGCONT'));
    const two = await cluster.add();
    // The first is alone by its own account, until its right to that has ended.
    const channel = await subscribed(await cluster.client(two), 'news');
    const numbers: number[] = [];
    channel.bind('number', (value: number) => numbers.push(value));
    one.signal('SIGCONT');
    // It may take PostgreSQL to hang, which has not answered it for so long.
    await until(async () => (await trigger(cluster, one, 1)) === 200, 'it publishes again', patienceMs);
    await until(() => numbers.includes(1), 'the event arrives at the other process', patienceMs);
    expect(cluster.output).not.toContain('has lost its lock');
  });

  it('publish although one of them is stopped wherever it is, also within a transaction', async () => {
    const url = await newPostgresDatabase();
    const operator = await operate(url);
    const cluster = await start(2, url, { history: [{ channels: 'kept-*', events: 100, seconds: 600 }] });
    const [one, two] = cluster.processes as [ServerProcess, ServerProcess];
    ending.push(() => two.signal('SIGCONT'));

    const publishWhileStopped = async (channel: string, isStoppedIn: (transactions: number) => boolean) => {
      const load = new TriggerLoad({ port: two.port, app, channel });
      const isStopped = async (): Promise<boolean> => {
        const heard = load.accepted.length;
        two.signal('SIGCONT');
        await until(() => load.accepted.length > heard, 'it goes on', patienceMs);
        two.signal('SIGSTOP');
        return isStoppedIn(await openTransactions(operator.client));
      };
      await until(isStopped, `it is stopped while it publishes on ${channel}`, patienceMs);
      expect(await trigger(cluster, one, 1)).toBe(200);
      two.signal('SIGCONT');
      await load.stop();
      expect(load.refused.length).toBeLessThanOrEqual(8);
      return load;
    };
    // A kept event is several statements.
    await publishWhileStopped('kept-news', (transactions) => transactions > 0);
    let stops = 0;
    await publishWhileStopped('news', (transactions) => {
      expect(transactions, 'a plain event is one statement').toBe(0);
      return (stops += 1) === 50;
    });
  });
});

/** How many transactions wait for their process. */
const openTransactions = async (client: Client): Promise<number> => {
  const { rows } = await client.query(
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'",
  );
  return (rows[0] as { n: number }).n;
};

/** How many statements wait for a lock. A transaction sees the connections of its first look unless it forgets them. */
const waiting = async (client: Client): Promise<number> => {
  await client.query('SELECT pg_stat_clear_snapshot()');
  const { rows } = await client.query("SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
  return (rows[0] as { n: number }).n;
};
