import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type ClusterSettings, subscribed, TestCluster } from '../support/cluster.js';
import type { Fault, Reached } from '../support/network-faults.js';
import { postgresFaults, ReachedPostgres } from '../support/postgres-faults.js';
import { describePostgres } from '../support/postgres.js';
import { Random } from '../support/random.js';
import { describeInstalled } from '../support/programs.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { redisFaults } from '../support/redis-faults.js';
import { RoughProxy } from '../support/rough-proxy.js';
import { buildServer } from '../support/server-process.js';
import { until } from '../support/until.js';

/** `npm run soak -- events --minutes 10 --seed 3` runs them for longer, and otherwise. */
const seconds = (Number(process.env['CHAOS_MINUTES'] ?? 1 / 3) * 60) / Object.keys(redisFaults).length;
const seed = Number(process.env['CHAOS_SEED'] ?? 7);
const channels = ['orders-1', 'orders-2', 'orders-3'];

/** What a client was sent on a channel: rising numbers, and reports that some may be missing. */
type Heard = (number | 'gap')[];

interface Listener {
  readonly who: string;
  readonly name: string;
  readonly all: Heard;
}

/** Waits until each has heard what it should; if not, tells what the others heard last. */
async function everyOne(listeners: readonly Listener[], hasHeard: (listener: Listener) => boolean): Promise<void> {
  const deaf = () => listeners.filter((each) => !hasHeard(each));
  await until(() => deaf().length === 0, 'all hear the last', 60_000).catch((error: unknown) => {
    const lasts = deaf().map(({ who, name, all }) => `${who}, ${name}: …${all.slice(-5).join()}`);
    throw new Error(lasts.join('; '), { cause: error });
  });
}

/** Where an accepted number is missing without a gap. Numbers that were not acknowledged may come again. */
function missing(heard: Heard, accepted: readonly number[]): readonly string[] {
  const before = new Map(accepted.map((number, at) => [number, accepted[at - 1]]));
  const seen = new Set<number>();
  const wrong: string[] = [];
  let isGap = false;
  for (const [at, each] of heard.entries()) {
    if (each === 'gap') isGap = true;
    else {
      const last = before.get(each);
      if (last !== undefined && !seen.has(each) && !seen.has(last) && !isGap)
        wrong.push(`${last} is missing in ${heard.slice(Math.max(0, at - 5), at + 3).join()}`);
      seen.add(each);
      isGap = false;
    }
  }
  return wrong;
}

it('notices a number that came before an accepted one, or instead of it', () => {
  expect(missing([1, 2, 4, 3], [1, 2, 3, 4])).toEqual(['3 is missing in 1,2,4,3']);
  expect(missing([1, 3], [1, 2, 3])).toHaveLength(1);
  expect(missing([1, 2, 4, 'gap', 7, 6, 7], [1, 2, 4, 6, 7])).toEqual([]);
});

const history = { history: [{ channels: 'orders-*' }] };

describeRedis('an event that was accepted while Redis', () => {
  const { cluster, expectDelivery } = stories(redisFaults, async () => {
    const redis = await TestRedis.start();
    const target = (): Promise<number> =>
      reached.isReachable ? Promise.resolve(redis.port) : new Promise<never>(() => {});
    const reached = { redis, proxy: await RoughProxy.start(target), isReachable: true };
    const stop = async (): Promise<void> => {
      reached.proxy.stop();
      await redis.stop();
    };
    const file = { redis: { heartbeatSeconds: 0.3, leaseSeconds: 2, lingerSeconds: 0.2, commandTimeoutSeconds: 1 } };
    return { reached, stop, settings: { redisUrl: `redis://127.0.0.1:${reached.proxy.port}`, file } };
  });

  describeInstalled('faketime')('closes subscriptions, and the clock of one process is nine minutes ahead,', () => {
    it(
      'reaches each client with a session, in order, or a gap is reported',
      async () => {
        const library = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';
        await cluster().add({ LD_PRELOAD: library, FAKETIME: '+9m', DONT_FAKE_MONOTONIC: '1' });
        await expectDelivery(redisFaults['closes subscriptions']!);
      },
      120_000 + seconds * 1000,
    );
  });
});

describePostgres('an event that was accepted while PostgreSQL', () => {
  stories(postgresFaults, async () => {
    const reached = await ReachedPostgres.start();
    return { reached, stop: () => reached.stop(), settings: { environment: { DATABASE_URL: reached.url } } };
  });
});

interface Shared<Store extends Reached> {
  readonly reached: Store;
  readonly settings: ClusterSettings;
  stop(): Promise<void>;
}

/** @param share - starts what the processes share */
function stories<Store extends Reached>(
  faults: Readonly<Record<string, Fault<Store>>>,
  share: () => Promise<Shared<Store>>,
) {
  let shared: Shared<Store>;
  let cluster: TestCluster;
  beforeAll(async () => {
    await buildServer();
    shared = await share();
    cluster = await TestCluster.start(3, { ...shared.settings, app: history });
  }, 180_000);
  afterEach(() => cluster.disconnect());
  afterAll(async () => {
    await cluster.stop();
    await shared.stop();
  });

  async function expectDelivery(fault: Fault<Store>): Promise<void> {
    const random = new Random(seed);
    const heard: Listener[] = [];
    for (const server of [...cluster.processes, ...cluster.processes]) {
      const client = await cluster.client(server, undefined, `/session/${crypto.randomUUID()}`);
      for (const name of channels) {
        const all: Heard = [];
        heard.push({ who: `a client of ${server.port}`, name, all });
        const channel = await subscribed(client, name);
        channel.bind('numbered', (number: number) => all.push(number));
        channel.bind('rookery:gap', () => all.push('gap'));
      }
    }
    const end = new AbortController();
    const accepted = new Map<string, number[]>(channels.map((name) => [name, []]));
    const refusals = new Set<number | undefined>();
    const publish = async (name: string, n: number): Promise<void> => {
      for (let number = 1; !end.signal.aborted; number++) {
        const server = cluster.processes[(n + number) % cluster.processes.length]!;
        const status = await cluster
          .server(server)
          .trigger(name, 'numbered', number)
          .then(
            (answer) => answer.status,
            (error: { readonly status?: number }) => error.status,
          );
        if (status === 200) accepted.get(name)!.push(number);
        else refusals.add(status);
        await delay(random.below(8));
      }
    };
    const publishing = channels.map(publish);
    for (const endsAt = performance.now() + seconds * 1000; performance.now() < endsAt;) {
      await fault(shared.reached, random);
      await delay(random.below(1000));
    }
    const soFar = new Map(channels.map((name) => [name, accepted.get(name)!.length]));
    const goOn = () => channels.every((name) => accepted.get(name)!.length > soFar.get(name)! + 20);
    await until(goOn, 'events are accepted again');
    // Of the last before a process reaches the store again, its clients may hear only that there is a gap.
    await everyOne(heard, ({ name, all }) =>
      accepted
        .get(name)!
        .slice(soFar.get(name))
        .some((n) => all.includes(n)),
    );
    end.abort();
    await Promise.all(publishing);
    await everyOne(heard, ({ name, all }) => all.includes(accepted.get(name)!.at(-1)!));
    const wrong = heard.flatMap(({ who, name, all }) =>
      missing(all, accepted.get(name)!).map((part) => `${who}, ${name}: ${part}`),
    );
    expect(wrong).toEqual([]);
    expect(
      [...refusals].filter((status) => status !== 503),
      'senders are told to try again',
    ).toEqual([]);
  }

  it.each(Object.entries(faults))(
    '%s reaches each client with a session, in order, or a gap is reported',
    (_, fault) => expectDelivery(fault),
    120_000 + seconds * 1000,
  );

  return { cluster: () => cluster, expectDelivery };
}
