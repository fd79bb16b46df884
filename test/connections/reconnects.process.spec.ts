import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { withoutDoubles } from '@rookery/client';
import { ageRedis, makeAgedDatabase } from '../support/aged-store.js';
import { TestCluster } from '../support/cluster.js';
import { PusherJs } from '../support/pusher-js.js';
import { Random } from '../support/random.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { RoughProxy, roughness } from '../support/rough-proxy.js';
import { buildServer, type ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';
import { describeNode } from '../support/services.js';

const app = { history: [{ channels: '*', events: 10_000 }] };
const file = { channels: { drainSeconds: 1, sessions: { pingMs: 200 } } };
/** On each of the channels. */
const events = 1000;
const channels = ['orders', 'private-orders'];
const waitMs = 60_000;
/** `CHAOS_SEED=7` repeats what a failed run did. */
const seed = Number(process.env['CHAOS_SEED'] ?? 7);

/** What a client hears of the channels. */
class Listener {
  private readonly latest = new Map(channels.map((channel) => [channel, 0]));
  readonly faults: string[] = [];
  doubles = 0;
  connections = 0;

  constructor(readonly client: PusherJs) {
    client.connection.bind('connected', () => void this.connections++);
    for (const name of channels) {
      const channel = client.subscribe(name);
      channel.bind('e', ({ n }: { n: number }) => this.heard(name, n));
      channel.bind('rookery:gap', () => this.faults.push(`${name}: a gap after ${this.latest.get(name)}`));
    }
  }

  get hasAll(): boolean {
    return [...this.latest.values()].every((n) => n === events);
  }

  private heard(channel: string, n: number): void {
    const latest = this.latest.get(channel)!;
    if (n <= latest) this.doubles++;
    else this.latest.set(channel, n);
    if (n > latest + 1) this.faults.push(`${channel}: ${n} after ${latest}`);
  }
}

let cluster: TestCluster;
let folder: string | undefined;
const proxies: RoughProxy[] = [];
const clients: PusherJs[] = [];
beforeAll(() => buildServer(), 180_000);
afterEach(async () => {
  for (const client of clients.splice(0)) client.disconnect();
  for (const proxy of proxies.splice(0)) proxy.stop();
  await cluster.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true });
  folder = undefined;
}, 60_000);

/** Clients behind bad networks, the first without doubles; `alive` names the processes that may be reached. */
async function listen(alive: () => readonly ServerProcess[]): Promise<Listener[]> {
  const listeners: Listener[] = [];
  for (let n = 0; n < 3; n++) {
    let turn = n;
    const proxy = await RoughProxy.start(() => alive()[turn++ % alive().length]!.port);
    proxies.push(proxy);
    const client = new PusherJs('app-key', {
      cluster: '',
      wsHost: '127.0.0.1',
      wsPort: proxy.port,
      wsPath: `/session/${randomUUID()}`,
      forceTLS: false,
      enabledTransports: ['ws'],
      activityTimeout: 1000,
      pongTimeout: 500,
      channelAuthorization: {
        transport: 'ajax',
        endpoint: '',
        customHandler: ({ channelName, socketId }, callback) =>
          callback(null, cluster.server(alive()[0]!).authorizeChannel(socketId, channelName)),
      },
    });
    clients.push(client);
    listeners.push(new Listener(n === 0 ? withoutDoubles(client) : client));
  }
  const isSubscribed = (client: PusherJs) => channels.every((name) => client.channel(name).subscribed);
  await until(() => clients.every(isSubscribed), 'all are subscribed', waitMs);
  return listeners;
}

/** Whether a trigger was answered: a worker that is killed takes with it the connections that were just handed to it. */
async function taken(trigger: () => Promise<unknown>): Promise<boolean> {
  try {
    await trigger();
    return true;
  } catch (error) {
    if ((error as { status?: number }).status !== undefined) throw error;
    return false;
  }
}

/** Publishes numbered events through those that are alive, while networks do what they do. */
async function publish(
  alive: () => readonly ServerProcess[],
  then: Readonly<Record<number, () => unknown>> = {},
): Promise<void> {
  const random = new Random(seed);
  for (let n = 1; n <= events; n += 5) {
    await then[n]?.();
    const batch = channels.flatMap((channel) =>
      Array.from({ length: 5 }, (_, i) => ({ channel, name: 'e', data: { n: n + i } })),
    );
    await until(() => taken(() => cluster.server(alive()[0]!).triggerBatch(batch)), 'a process takes events', waitMs);
    if (random.below(10) === 0) random.of(proxies).be(random.of(roughness));
    await delay(random.below(10));
  }
}

async function expectAll(listeners: readonly Listener[]): Promise<void> {
  try {
    await until(() => listeners.every(({ hasAll }) => hasAll), 'all events have come', waitMs);
  } finally {
    console.log(
      listeners.map(({ connections, doubles }) => `${connections} connections, ${doubles} doubles`).join('; '),
    );
  }
  expect(listeners.flatMap(({ faults }) => faults)).toEqual([]);
  expect(listeners[0]?.doubles).toBe(0);
  expect(listeners.reduce((sum, { connections }) => sum + connections, 0)).toBeGreaterThan(listeners.length);
}

describeNode('behind bad networks, clients with a session get every event, in order', () => {
  it.each([
    ['of one process', {}],
    ['of two workers, one of which is killed', { WORKERS: '2' }],
  ])(
    '%s',
    async (_, environment) => {
      folder = mkdtempSync(join(tmpdir(), 'rookery-reconnects-'));
      const DATABASE_URL = `sqlite:${join(folder, 'rookery.db')}`;
      await makeAgedDatabase(DATABASE_URL);
      cluster = await TestCluster.start(1, { app, file, environment: { ...environment, DATABASE_URL } });
      const alive = () => cluster.processes;
      const listeners = await listen(alive);
      const { children } = cluster.processes[0]!;
      await publish(alive, { 501: () => children[0] && process.kill(children[0], 'SIGKILL') });
      await expectAll(listeners);
    },
    180_000,
  );
});

describeRedis('behind bad networks, with Redis, clients with a session get every event, in order', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await TestRedis.start();
    await ageRedis(redis);
  });
  afterAll(() => redis.stop());

  it('through lost subscriptions, the death of a process and a rolling deploy', async () => {
    cluster = await TestCluster.start(3, { redisUrl: redis.url, app, file });
    const gone = new Set<ServerProcess>();
    const alive = () => cluster.processes.filter((each) => !gone.has(each));
    const [first, second, third] = cluster.processes as [ServerProcess, ServerProcess, ServerProcess];
    const listeners = await listen(alive);
    const ended: Promise<unknown>[] = [];
    let added: Promise<unknown> | undefined;
    const end = (server: ServerProcess, how: 'kill' | 'stop'): void => {
      gone.add(server);
      ended.push(server[how]());
    };
    await publish(alive, {
      101: () => redis.command('CLIENT', 'KILL', 'TYPE', 'pubsub'),
      251: () => end(third, 'kill'),
      401: () => void (added = cluster.add()),
      601: () => end(second, 'stop'),
      801: async () => {
        await added;
        end(first, 'stop');
      },
    });
    await Promise.all(ended);
    await expectAll(listeners);
  }, 180_000);
});
