import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { subscribed, TestCluster } from '../support/cluster.js';
import { rookery } from '../support/command-line.js';
import { ConsoleClient } from '../support/console-client.js';
import { describePostgres, startPostgres } from '../support/postgres.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { buildServer } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const password = 'a password for tests';
const environment = { CONSOLE_PASSWORD: password };

let cluster: TestCluster;
const consoles: ConsoleClient[] = [];
const consoleAt = (n: number): ConsoleClient => {
  const made = new ConsoleClient(cluster.processes[n]!.port, password);
  consoles.push(made);
  return made;
};

afterEach(() => {
  for (const each of consoles.splice(0)) each.close();
  cluster.disconnect();
});
afterAll(() => cluster.stop());

/** A page at one process, clients on both, and events sent at the other: the process makes no difference. */
async function showsBoth(ports: readonly [number, number]): Promise<void> {
  const page = consoleAt(ports[0]);
  const view = await page.live('app');
  await until(async () => (await page.get('nodes')).nodes.length === 2, 'both processes answer');
  // Connections go to the processes by turns, or where they are told.
  const clients = [];
  for (const n of [0, 1, 0, 1]) clients.push(await cluster.client(cluster.processes[ports[n as 0 | 1]]!));
  for (const client of clients) await subscribed(client, 'everywhere');
  for (const { connection } of clients) await view.next('subscribed', { socketId: connection.socket_id });
  expect(new Set(view.told.filter(({ kind }) => kind === 'subscribed').map(({ node }) => node)).size).toBe(2);
  const { connections, total } = await page.get('apps/app/connections');
  expect(total).toBe(4);
  expect(new Set(connections.map(({ node }: { node: string }) => node)).size).toBe(2);

  const { json } = await consoleAt(ports[1]).ask('POST', 'apps/app/events', {
    channels: ['everywhere'],
    name: 'seen',
    data: '',
  });
  expect(await view.next('event', { name: 'seen' })).toMatchObject({ id: json.id, reached: 4 });
  expect(view.told.filter(({ name }) => name === 'seen')).toHaveLength(1);
  for (const { connection } of clients) {
    const asked = `apps/app/why?event=${encodeURIComponent(json.id)}&socket=${connection.socket_id}`;
    await until(
      async () => (await page.get(asked)).sockets[0]?.verdict === 'delivered',
      'the event is delivered',
      30_000,
    );
  }
  // The past is the same at both, whichever process it happened at.
  const other = consoleAt(ports[1]);
  for (const each of [page, other]) {
    const { activities } = await each.get('apps/app/recent?text=seen');
    expect(activities).toMatchObject([{ id: json.id, kind: 'event', name: 'seen' }]);
    expect(await each.get(`apps/app/recent/${encodeURIComponent(json.id)}`)).toMatchObject({ id: json.id });
    const steps = (await each.get('apps/app/recent?kinds=subscribed&channel=everywhere')).activities;
    expect(new Set(steps.map(({ socketId }: { socketId: string }) => socketId)).size).toBeGreaterThanOrEqual(4);
  }
  const stranger = { key: 'no-such-key', secret: '' };
  await (await SocketClient.open(cluster.processes[ports[1]]!.port, stranger)).closing();
  await until(
    async () =>
      (await page.get('apps/app/refusals')).refusals.some(({ key }: { key: string }) => key === 'no-such-key'),
    'the refused connection is listed',
  );
  const last = clients.at(-1)!.connection.socket_id;
  expect((await page.ask('DELETE', `apps/app/connections/${last}`)).status).toBe(204);
  await view.next('disconnected', { socketId: last, code: 4009 });
}

/** What the log, the console and `rookery doctor` say of the cluster. */
async function expectStore(store: string, shared: Readonly<Record<string, string>>): Promise<void> {
  expect(cluster.output).toContain(`In a cluster with all processes on this ${store}: 2 processes are alive`);
  const page = consoleAt(0);
  expect(await page.get('overview')).toMatchObject({ store, nodes: [{}, {}], missingNodes: 0 });
  const { stdout } = await rookery(['doctor'], { ...environment, PORT: '1', ...shared });
  expect(stdout).toContain(`ok     cluster: all processes on this ${store}, of which 2 are alive`);
}

/** Signs in at one process, out at the other, and looks at both. */
async function expectSignedOut(ports: readonly [number, number]): Promise<void> {
  const [one, other] = ports.map((n) => `http://127.0.0.1:${cluster.processes[n]!.port}/console/api`) as [
    string,
    string,
  ];
  const headers = { 'content-type': 'application/json' };
  const signedIn = await fetch(`${one}/session`, { method: 'POST', headers, body: JSON.stringify({ password }) });
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
  // Workers get connections by turns.
  const statuses = async () => {
    const answers = await Promise.all(
      [one, other, one, other].map((at) => fetch(`${at}/apps`, { headers: { cookie, connection: 'close' } })),
    );
    return new Set(answers.map(({ status }) => status));
  };
  expect(await statuses()).toEqual(new Set([404]));
  expect((await fetch(`${other}/session`, { method: 'DELETE', headers: { cookie } })).status).toBe(204);
  expect(await statuses()).toEqual(new Set([401]));
}

/** Hundreds of guesses at once, the right one last: what it was answered, and how many were looked at. */
async function guesses(ports: readonly [number, number]) {
  const statuses = await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      const guess = n === 199 ? password : `guess ${n}`;
      const { port } = cluster.processes[ports[n % 2]!]!;
      return (await new ConsoleClient(port, guess).ask('GET', 'apps')).status;
    }),
  );
  return { rightOne: statuses.at(-1), lookedAt: statuses.filter((status) => status !== 429).length };
}

describe('the console of two workers', () => {
  beforeAll(async () => {
    await buildServer();
    cluster = await TestCluster.start(1, { environment: { ...environment, WORKERS: '2' } });
  }, 180_000);

  it('shows connections and events of both workers on either', () => showsBoth([0, 0]), 60_000);

  it('signs out of both', () => expectSignedOut([0, 0]), 60_000);

  it('checks five of hundreds of concurrent guesses', async () => {
    expect(await guesses([0, 0])).toEqual({ rightOne: 429, lookedAt: 5 });
  }, 60_000);
});

describeRedis('the console of two servers', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    await cluster.stop();
    redis = await TestRedis.start();
    cluster = await TestCluster.start(2, { redisUrl: redis.url, environment });
  }, 180_000);
  afterAll(() => redis.stop());

  it('shows connections and events of the other', () => showsBoth([0, 1]), 60_000);

  it('names Redis', () => expectStore('Redis', { REDIS_URL: redis.url, DATABASE_URL: 'sqlite::memory:' }), 60_000);

  it('signs out of both', () => expectSignedOut([0, 1]), 60_000);

  it('checks five of hundreds of concurrent guesses', async () => {
    expect(await guesses([0, 1])).toEqual({ rightOne: 429, lookedAt: 5 });
  }, 60_000);
});

describePostgres('the console of two servers on PostgreSQL', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    await cluster.stop();
    postgres = await startPostgres();
    cluster = await TestCluster.start(2, { environment: { ...environment, DATABASE_URL: postgres.url } });
  }, 180_000);
  afterAll(async () => {
    await cluster.stop();
    await postgres.stop();
  });

  it('shows connections and events of the other', () => showsBoth([0, 1]), 60_000);

  it('names PostgreSQL', () => expectStore('PostgreSQL', { DATABASE_URL: postgres.url }), 60_000);

  it('signs out of both', () => expectSignedOut([0, 1]), 60_000);

  it('checks five of hundreds of concurrent guesses', async () => {
    expect(await guesses([0, 1])).toEqual({ rightOne: 429, lookedAt: 5 });
  }, 60_000);
});
