import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Pusher from 'pusher';
import { beforeAll, describe, expect, it as base, vi } from 'vitest';
import { RawClient } from '../support/raw-client.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { Random } from '../support/random.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const random = new Random(7);

// Each test starts a server, and mostly waits for its end: they run at the same time.
vi.setConfig({ testTimeout: 60_000 });

const app = { id: 'app-id', key: 'app-key', secret: 'app-secret' };

/** What each test has: a server, which the test ends. */
interface Running {
  readonly server: ServerProcess;
  readonly receiver: WebhookReceiver;
  readonly statusOf: (path: string) => Promise<number>;
}

const it = base.extend<Running>({
  // Vitest reads the parameter, which must be a pattern.
  // oxlint-disable-next-line no-empty-pattern
  receiver: async ({}, use) => {
    const receiver = await WebhookReceiver.start();
    await use(receiver);
    await receiver.close();
  },
  server: async ({ receiver }, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'rookery-shutdown-'));
    const config = { apps: [{ ...app, webhooks: [{ url: receiver.url('/hook') }] }] };
    await writeFile(join(folder, 'rookery.json'), JSON.stringify(config));
    const server = await ServerProcess.start({
      CONFIG_FILE: join(folder, 'rookery.json'),
      DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`,
    });
    await use(server);
    await server.kill();
    await rm(folder, { recursive: true });
  },
  statusOf: ({ server }, use) => use(async (path) => (await fetch(server.url + path)).status),
});

const isRefused = (server: ServerProcess) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(server.port, '127.0.0.1', () => resolve(false)).on('error', () => resolve(true));
    socket.end();
  });

/** Begins a signed trigger and stops in the middle of its body; `finish` sends the rest. */
async function beginTrigger(server: ServerProcess) {
  const body = JSON.stringify({ name: 'late', channel: 'news', data: '{}' });
  const pusher = new Pusher({ appId: app.id, key: app.key, secret: app.secret, host: '127.0.0.1' });
  const query = pusher.createSignedQueryString({
    method: 'POST',
    path: `/apps/${app.id}/events`,
    body,
    params: {},
    body_md5: createHash('md5').update(body).digest('hex'),
  } as Parameters<typeof pusher.createSignedQueryString>[0]);
  const begun = request(`${server.url}/apps/${app.id}/events?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  });
  // The server may end it before its end.
  begun.on('error', () => {});
  begun.write(body.slice(0, 10));
  await once(begun, 'socket');
  return async () => {
    const answered = once(begun, 'response') as Promise<[IncomingMessage]>;
    begun.end(body.slice(10));
    const [response] = await answered;
    return { status: response.statusCode, body: await text(response) };
  };
}

beforeAll(buildServer, 180_000);

describe.concurrent.each(['SIGTERM', 'SIGINT'] as const)('at %s the server', (signal) => {
  it('closes its clients with "reconnect in a second" and exits with 0', async ({ server, statusOf }) => {
    // Idle connections, which are kept alive, are not waited for.
    for (let count = 0; count < 3; count += 1) await statusOf('/health/live');
    const clients = await Promise.all([1, 2, 3].map(() => SocketClient.connect(server.port, app)));
    await clients[0]!.subscribe('news');
    const startedAt = performance.now();
    server.signal(signal);
    for (const client of clients) expect(await client.closing()).toMatchObject({ code: 4100 });
    expect(await server.exit()).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

describe.concurrent('a server with connections that do not end', () => {
  it('is not ready any more, still answers, and does not wait forever for a client that stays', async ({
    server,
    statusOf,
  }) => {
    expect(await statusOf('/health/ready')).toBe(200);
    // A client that does not answer the close, so that there is time to look.
    await RawClient.upgrade(server.port, app);
    const startedAt = performance.now();
    server.signal('SIGTERM');
    await until(async () => (await statusOf('/health/ready')) === 503, 'it is not ready');
    expect(await statusOf('/health/live')).toBe(200);
    expect(await server.exit()).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('does not wait forever for an endless request', async ({ server }) => {
    await beginTrigger(server);
    server.signal('SIGTERM');
    expect(await server.exit()).toBe(0);
  });
});

it.concurrent('answers a request in progress', async ({ server }) => {
  const finish = await beginTrigger(server);
  const alice = await SocketClient.connect(server.port, app);
  server.signal('SIGTERM');
  await until(() => isRefused(server), 'the port is closed');
  // A client that reconnected now would be refused.
  expect(alice.closed).toBeUndefined();
  expect(await finish()).toEqual({ status: 200, body: '{}' });
  expect(await alice.closing()).toMatchObject({ code: 4100 });
  expect(await server.exit()).toBe(0);
});

/** Asks on a connection of its own, again and again, until that is closed. Answers the statuses, and how it ended. */
async function askOn(
  statuses: number[],
  ask: () => ClientRequest,
): Promise<{ statuses: readonly number[]; error?: string }> {
  for (;;)
    try {
      const asked = ask();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      await text(answer);
      statuses.push(answer.statusCode!);
      // What is due next would open another connection.
      if (answer.headers.connection === 'close') return { statuses };
      await new Promise((resolve) => setTimeout(resolve, random.below(5)));
    } catch (error) {
      return { statuses, error: String((error as NodeJS.ErrnoException).code) };
    }
}

it.concurrent('answers requests on kept-alive connections, and resets none', async ({ server }) => {
  const path = `/apps/${app.id}/events`;
  const body = JSON.stringify({ name: 'again', channel: 'news', data: '{}' });
  const signer = new Pusher({ appId: app.id, key: app.key, secret: app.secret, host: '127.0.0.1' });
  const trigger = (agent: Agent) => {
    const body_md5 = createHash('md5').update(body).digest('hex');
    const signed = { method: 'POST', path, body, params: {}, body_md5 };
    const query = signer.createSignedQueryString(signed);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    return request(`${server.url}${path}?${query}`, { method: 'POST', headers, agent }).end(body);
  };
  const look = (agent: Agent) => request(`${server.url}/health/live`, { agent }).end();
  const answered = Array.from({ length: 40 }, (): number[] => []);
  const ends = answered.map((statuses, n) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    return askOn(statuses, () => (n % 2 ? trigger(agent) : look(agent)));
  });
  await until(() => answered.every(({ length }) => length > 5), 'all connections are in use');
  server.signal('SIGTERM');
  const ended = await Promise.all(ends);
  expect(ended.flatMap(({ error }) => error ?? [])).toEqual([]);
  expect(new Set(ended.flatMap(({ statuses }) => statuses))).toEqual(new Set([200]));
  expect(await server.exit()).toBe(0);
});

it.concurrent('delivers the webhooks that its shutdown causes', async ({ server, receiver }) => {
  const alice = await SocketClient.connect(server.port, app);
  await alice.subscribe('presence-room', { user_id: 'alice' });
  server.signal('SIGTERM');
  expect(await server.exit()).toBe(0);
  expect(receiver.events('/hook').map(({ name }) => name as string)).toEqual([
    'channel_occupied',
    'member_added',
    'member_removed',
    'channel_vacated',
  ]);
});
