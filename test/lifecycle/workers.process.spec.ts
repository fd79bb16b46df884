import { availableParallelism } from 'node:os';
import PusherJs, { type PresenceChannel } from 'pusher-js';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { subscribed, TestCluster } from '../support/cluster.js';
import { freePort } from '../support/free-port.js';
import { HttpClient, httpWays } from '../support/http-client.js';
import { buildServer, type ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const count = 3;

let cluster: TestCluster;
let server: ServerProcess;
let receiver: WebhookReceiver;

beforeAll(async () => {
  await buildServer();
  receiver = await WebhookReceiver.start();
  cluster = await TestCluster.start(1, {
    app: { webhooks: [{ url: receiver.url('/hook') }], subscriptionCount: true },
    // For so long a client that polls may be away between two polls.
    file: { channels: { pongTimeoutSeconds: 5 } },
    environment: { WORKERS: String(count) },
  });
  server = cluster.processes[0]!;
}, 180_000);
afterEach(() => cluster.disconnect());
afterAll(async () => {
  await cluster.stop();
  await receiver.close();
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Asks one worker, over a connection of its own: one that is kept would bring a later request to the same worker. */
const ask = (path: string) => fetch(`${server.url}${path}`, { headers: { connection: 'close' } });
const metrics = async (): Promise<string> => (await ask('/metrics')).text();
const live = () => ask('/health/live');

/** One client on each worker: connections go to the workers by turns. */
async function clients(user?: (n: number) => { readonly user_id: string }): Promise<PusherJs[]> {
  const all: PusherJs[] = [];
  for (let n = 0; n < count; n++) all.push(await cluster.client(server, user?.(n)));
  return all;
}

const isConnected = ({ connection }: PusherJs): boolean => connection.state === 'connected';

/** Kills a worker, as a crash would, and answers the clients that were not on it. */
async function survivorsOfAKill(all: readonly PusherJs[], pid = server.children[1]!): Promise<PusherJs[]> {
  // Its clients stay away.
  for (const client of all) client.connection.bind('state_change', () => client.disconnect());
  process.kill(pid, 'SIGKILL');
  await until(() => all.some((client) => !isConnected(client)), 'a client has lost its connection');
  return all.filter(isConnected);
}

it('serve one port: events triggered on one reach the clients of all, once and in order', async () => {
  expect(server.children).toHaveLength(count);
  const heard = await Promise.all(
    (await clients()).map(async (client) => {
      const channel = await subscribed(client, 'news');
      const numbers: number[] = [];
      channel.bind('number', (n: number) => numbers.push(n));
      return numbers;
    }),
  );
  const pusher = cluster.server(server);
  for (let n = 0; n < 100; n++) await pusher.trigger('news', 'number', n);
  await until(() => heard.every(({ length }) => length >= 100), 'all have heard all');
  for (const numbers of heard) expect(numbers).toEqual(Array.from({ length: 100 }, (_, n) => n));
  expect(await cluster.get(server, '/channels/news', { info: 'subscription_count' })).toMatchObject({
    subscription_count: count,
  });
});

it.each(httpWays)(
  'serve a client over %s, with requests to any of them',
  async (way) => {
    const client = await HttpClient.connect(server.port, way, { key: 'app-key', secret: 'app-secret' });
    await client.subscribe('private-http');
    const pusher = cluster.server(server);
    for (let n = 0; n < 40; n++) {
      await pusher.trigger('private-http', 'number', `${n} ${'x'.repeat(9000)}`);
      expect(await client.next('number')).toMatchObject({ data: expect.stringMatching(`^${n} `) });
    }
    expect([client.opened, client.closed]).toEqual([1, undefined]);
    client.close();
    const count = async () =>
      (await cluster.get(server, '/channels/private-http', { info: 'subscription_count' })).subscription_count;
    await until(async () => (await count()) === 0, 'it has left its channels', 45_000);
  },
  120_000,
);

it('answer a scrape of one with the metrics of all', async () => {
  await clients();
  // Those of the test before have left, sooner or later.
  await until(
    async () => (await metrics()).includes(`\nrookery_channels_connections{app="app"} ${count}\n`),
    'all are counted',
  );
});

it('have one roster, forget the members of a killed worker, and replace it', async () => {
  const all = await clients((n) => ({ user_id: `user-${n}` }));
  const rooms = new Map<PusherJs, PresenceChannel>();
  for (const client of all) rooms.set(client, (await subscribed(client, 'presence-room')) as PresenceChannel);
  await until(() => [...rooms.values()].every(({ members }) => members.count === count), 'all see all');

  const before = server.children;
  const survivors = await survivorsOfAKill(all);
  expect(survivors).toHaveLength(count - 1);
  await until(() => survivors.every((each) => rooms.get(each)!.members.count === count - 1), 'the others are told');
  const { users } = await cluster.get(server, '/channels/presence-room/users');
  expect(users).toHaveLength(count - 1);
  const removed = () => receiver.events('/hook').filter(({ name }) => name === 'member_removed');
  await until(() => removed().length > 0, 'the webhook tells of it');
  expect(removed()).toHaveLength(1);

  await until(() => server.output.includes('another takes its place'), 'it is said');
  await until(() => server.children.length === count, 'another is there');
  expect(server.children.filter((pid) => before.includes(pid))).toHaveLength(count - 1);
  const later = await cluster.client(server, { user_id: 'later' });
  await subscribed(later, 'presence-room');
  await until(() => survivors.every((each) => rooms.get(each)!.members.count === count), 'the next member is seen');
});

it('detect a worker that dies with a connection on its way to it', async () => {
  // The one before this test, too, has another in its place.
  await until(async () => new RegExp(`^rookery_build_info.* ${count}$`, 'm').test(await metrics()), 'all serve');
  const all = await clients((n) => ({ user_id: `user-${n}` }));
  const rooms = new Map<PusherJs, PresenceChannel>();
  for (const client of all) rooms.set(client, (await subscribed(client, 'presence-lobby')) as PresenceChannel);
  await until(() => [...rooms.values()].every(({ members }) => members.count === count), 'all see all');

  const stuck = server.children[1]!;
  process.kill(stuck, 'SIGSTOP');
  // By turns: one of them waits for the worker that does not take it.
  const requests = Array.from({ length: 2 * count }, () => live());
  let answered = 0;
  for (const request of requests)
    void request.then(
      () => answered++,
      () => undefined,
    );
  await until(() => answered === requests.length - 1, 'all are answered but one');

  const survivors = await survivorsOfAKill(all, stuck);
  await until(() => survivors.every((each) => rooms.get(each)!.members.count === count - 1), 'the others are told');
  await until(() => server.children.length === count, 'another is there');
  expect(await metrics()).toContain('rookery_ready 1');
});

it('are not ready until all listen, even if one dies before that, and have a port of the metrics of all', async () => {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const starting = cluster.launch({
    WORKERS: String(count),
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
  });
  await until(() => starting.children.length === count, 'all are started');
  const stuck = starting.children[1]!;
  process.kill(stuck, 'SIGSTOP');
  const ready = () =>
    fetch(`http://127.0.0.1:${port}/health/ready`, { headers: { connection: 'close' } }).catch(() => undefined);
  await until(async () => (await ready())?.status === 503, 'one that listens is not ready');
  expect(await (await ready())?.json()).toEqual({ status: 'workers are starting' });
  process.kill(stuck, 'SIGKILL');
  await starting.listens();
  expect((await ready())?.status).toBe(200);
  expect(starting.children).toHaveLength(count);
  const scrape = async () =>
    (await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { headers: { connection: 'close' } })).text();
  for (let n = 0; n < 4; n++) expect(await scrape()).toMatch(new RegExp(`^rookery_build_info.* ${count}$`, 'm'));
  expect((await fetch(`${starting.url}/metrics`)).status).toBe(404);
  expect(await starting.stop()).toBe(0);
}, 90_000);

it('close their clients to reconnect in a second at SIGTERM, and exit with 0', async () => {
  const codes: number[] = [];
  const workers = server.children;
  for (const client of await clients())
    client.connection.bind('error', ({ data }: { data?: { code: number } }) => data && codes.push(data.code));
  expect(await server.stop()).toBe(0);
  await until(() => codes.length >= count, 'all were told');
  expect(codes.slice(0, count)).toEqual(Array(count).fill(4100));
  expect(workers.filter(isAlive)).toEqual([]);
});

it('are as many as the cores with max, and exit if the primary is killed', async () => {
  const cores = availableParallelism();
  const killed = await cluster.add({ WORKERS: 'max' });
  const workers = killed.children;
  // A single worker is the process itself.
  expect(workers).toHaveLength(cores > 1 ? cores : 0);
  await killed.kill();
  await until(() => !workers.some(isAlive), 'none is left');
}, 90_000);
