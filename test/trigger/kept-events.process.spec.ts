import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Pusher from 'pusher';
import { afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { makeAgedDatabase } from '../support/aged-store.js';
import { freePort } from '../support/free-port.js';
import { describePostgres, startPostgres } from '../support/postgres.js';
import { PusherJs } from '../support/pusher-js.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { Random } from '../support/random.js';
import { until } from '../support/until.js';

const random = new Random(7);

const history = [{ channels: 'kept-*', events: 10_000, seconds: 600 }];
const app = { id: 'app-id', key: 'app-key', secret: 'app-secret', history };
const triggersPerSecond = 50;
const timed = { timeout: 180_000 };
const rounds = Number(process.env['KILL_ROUNDS'] ?? 3);

let folder: string;
let port: number;
let environment: Readonly<Record<string, string>>;
const ending: (() => unknown)[] = [];
beforeAll(() => buildServer(), 180_000);
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rookery-kept-'));
  port = await freePort();
  const config = join(folder, 'config.json');
  // Soon enough that clients acknowledge what they get between two restarts: otherwise all of it is replayed after each.
  writeFileSync(config, JSON.stringify({ apps: [app], channels: { drainSeconds: 1, sessions: { pingMs: 100 } } }));
  environment = { PORT: String(port), CONFIG_FILE: config, DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}` };
});
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
  rmSync(folder, { recursive: true });
});

async function start(more: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const server = await ServerProcess.start({ ...environment, ...more });
  ending.push(() => server.kill());
  return server;
}

/** Ends a server, with its workers, and starts the next. */
async function restart(server: ServerProcess, signal: NodeJS.Signals, more = {}): Promise<ServerProcess> {
  const { children } = server;
  server.signal(signal);
  await server.exit();
  // Workers whose primary process was killed end by themselves, but not before the next server starts.
  if (signal === 'SIGKILL') for (const pid of children) kill(pid);
  return start(more);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

const trigger = (channel: string, data: unknown) =>
  new Pusher({ appId: app.id, key: app.key, secret: app.secret, host: '127.0.0.1', port: String(port) }).trigger(
    channel,
    'tick',
    data,
  );

/** Stock pusher-js with a session. */
class Page {
  readonly heard = new Set<number>();
  gaps = 0;
  readonly client: PusherJs;

  constructor(readonly channel: string) {
    this.client = new PusherJs(app.key, {
      cluster: '',
      wsHost: '127.0.0.1',
      wsPort: port,
      wsPath: `/session/${randomUUID()}`,
      forceTLS: false,
      enabledTransports: ['ws'],
    });
    ending.push(() => this.client.disconnect());
    const subscribed = this.client.subscribe(channel);
    subscribed.bind('tick', (n: number) => this.heard.add(n));
    subscribed.bind('rookery:gap', () => void (this.gaps += 1));
  }

  get isSubscribed(): boolean {
    return this.client.connection.state === 'connected' && this.client.channel(this.channel).subscribed;
  }
}

/** Triggers at a steady rate, and knows which were answered. */
class Load {
  readonly answered: number[] = [];
  sent = 0;
  private isStopped = false;
  private readonly asked: Promise<unknown>[] = [];
  private readonly running: Promise<void>;

  constructor(private readonly channel: string) {
    this.running = this.run();
    ending.push(() => this.stop());
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
    await Promise.all(this.asked);
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      const n = this.sent++;
      this.asked.push(
        trigger(this.channel, n).then(
          () => this.answered.push(n),
          () => undefined,
        ),
      );
      await delay(1000 / triggersPerSecond);
    }
  }
}

async function pages(count: number): Promise<readonly Page[]> {
  const all = Array.from({ length: count }, () => new Page('kept-news'));
  await until(() => all.every(({ isSubscribed }) => isSubscribed), 'all pages are there');
  return all;
}

/** What a page still lacks of the answered events. */
const missing = (page: Page, load: Load) => load.answered.filter((n) => !page.heard.has(n));

/** A new page gets the last event of each cache channel, whether it has a history or not. */
async function expectLastEvents(): Promise<void> {
  const { client } = new Page('kept-news');
  const heard: unknown[] = [];
  for (const name of ['cache-weather', 'cache-kept'])
    client.subscribe(name).bind('tick', (data: unknown) => heard.push(data));
  await until(() => heard.length === 2, 'the last events have come');
  expect(new Set(heard)).toEqual(new Set(['rain', 'sunny']));
  client.disconnect();
}

/**
 * Restarts the server under load, and expects that each page hears of every event that was answered 200, and each new page
 * of the last events of cache channels.
 */
async function expectNoLoss(signal: NodeJS.Signals, times: number, more: Readonly<Record<string, string>> = {}) {
  await makeAgedDatabase(environment['DATABASE_URL']!);
  let server = await start(more);
  await trigger('cache-weather', 'sunny');
  await trigger('cache-kept', 'rain');
  const all = await pages(3);
  const load = new Load('kept-news');
  for (let round = 0; round < times; round += 1) {
    const { length } = load.answered;
    await until(() => load.answered.length > length + 30 + random.below(60), 'there are new events');
    server = await restart(server, signal, more);
    await until(() => all.every(({ isSubscribed }) => isSubscribed), 'all pages are back');
    await expectLastEvents();
  }
  await load.stop();
  await until(() => all.every((page) => missing(page, load).length === 0), 'all events have come', 15_000).catch(
    () => undefined,
  );
  const lost = all.map((page) => missing(page, load).length);
  console.log(`${signal}: ${load.answered.length} of ${load.sent} events answered 200, lost ${lost.join(', ')}`);
  expect(load.answered.length).toBeGreaterThan(30 * times);
  expect(lost).toEqual([0, 0, 0]);
  expect(all.map(({ gaps }) => gaps)).toEqual([0, 0, 0]);
}

/** Workers are ready so late that stock pusher-js waits for 15 s after a restart: too long for `npm test`. */
const processes = inject('services') ? (['two workers', { WORKERS: '2' }] as const) : (['one process', {}] as const);

describe.each([processes])('%s on the default database', (_, more) => {
  it('loses no event when it is stopped twice', timed, () => expectNoLoss('SIGTERM', 2, more));

  it(`loses no event when it is killed ${rounds} times`, { timeout: 60_000 + rounds * 20_000 }, () =>
    expectNoLoss('SIGKILL', rounds, more),
  );

  it('tells each session of a gap when the database is gone', timed, async () => {
    await makeAgedDatabase(environment['DATABASE_URL']!);
    const server = await start(more);
    const all = await pages(2);
    await trigger('kept-news', 1);
    for (const page of all) await until(() => page.heard.has(1), 'the event has come');
    const { children } = server;
    await server.kill();
    for (const pid of children) kill(pid);
    for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `rookery.db${end}`), { force: true });
    await start(more);
    await until(() => all.every(({ gaps }) => gaps === 1), 'both are told');
  });
});

describePostgres('one process on PostgreSQL, without Redis', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  beforeEach(async () => {
    postgres = await startPostgres();
    environment = { ...environment, DATABASE_URL: postgres.url };
  }, 60_000);
  afterEach(() => postgres.stop());

  it('loses no event when it is stopped and killed', timed, async () => {
    await expectNoLoss('SIGKILL', 2);
  });
});
