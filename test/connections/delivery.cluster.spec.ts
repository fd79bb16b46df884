import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClusterSettings, subscribed, TestCluster } from '../support/cluster.js';
import { describePostgres, newPostgresDatabase } from '../support/postgres.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { buildServer, type ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

interface Numbered {
  readonly publisher: number;
  readonly number: number;
}

describeRedis('what is published on Redis while processes come and go', () => {
  story(async () => {
    const redis = await TestRedis.start();
    const file = { redis: { heartbeatSeconds: 0.3, leaseSeconds: 3 } };
    return { settings: { redisUrl: redis.url, file }, stop: () => redis.stop() };
  });
});

describePostgres('what is published on PostgreSQL while processes come and go', () => {
  story(async () => ({
    settings: { environment: { DATABASE_URL: await newPostgresDatabase() } },
    stop: async () => {},
  }));
});

/** @param share - starts what they share */
function story(share: () => Promise<{ settings: ClusterSettings; stop: () => Promise<void> }>): void {
  let stop: (() => Promise<void>) | undefined;
  let cluster: TestCluster;
  beforeAll(async () => {
    await buildServer();
    const shared = await share();
    stop = shared.stop;
    const { file } = shared.settings;
    cluster = await TestCluster.start(4, { ...shared.settings, file: { ...file, channels: { drainSeconds: 1 } } });
  }, 180_000);
  afterAll(async () => {
    await cluster.stop();
    await stop?.();
  });

  it('reaches every client that stays connected, each number once and in the order of its publisher', async () => {
    const [killed, drained, ...staying] = cluster.processes as [ServerProcess, ServerProcess, ...ServerProcess[]];
    const states: string[] = [];
    let ends = 0;
    const heard = await Promise.all(
      staying.map(async (server) => {
        const client = await cluster.client(server);
        client.connection.bind('state_change', ({ current }: { current: string }) => states.push(current));
        const channel = await subscribed(client, 'news');
        const events: Numbered[] = [];
        channel.bind('numbered', (event: Numbered) => events.push(event));
        channel.bind('end', () => ends++);
        return events;
      }),
    );
    for (const server of [killed, drained]) await subscribed(await cluster.client(server), 'news');

    const accepted: number[] = [];
    const end = new AbortController();
    const publish = async (server: ServerProcess, publisher: number): Promise<void> => {
      const pusher = cluster.server(server);
      for (let number = 0; !end.signal.aborted; number++) {
        // Whether an event was carried that was not answered is not known: this publisher ends with it.
        const answer = await pusher.trigger('news', 'numbered', { publisher, number }).catch(() => undefined);
        if (answer?.status !== 200) return;
        accepted[publisher] = number + 1;
        await delay(5);
      }
    };
    const publishing = cluster.processes.map((server, publisher) => publish(server, publisher));
    await until(() => accepted.length === 4 && accepted.every((count) => count > 20), 'all publish');
    await killed.kill();
    drained.signal('SIGTERM');
    expect(await drained.exit()).toBe(0);
    const soFar = accepted[3]!;
    await until(() => accepted[3]! > soFar + 50, 'the others go on');
    end.abort();
    await Promise.all(publishing);

    const numbersOf = (events: readonly Numbered[], publisher: number): number[] =>
      events.filter((event) => event.publisher === publisher).map(({ number }) => number);
    const isComplete = () =>
      heard.every((events) => accepted.every((count, publisher) => numbersOf(events, publisher).length >= count));
    await until(isComplete, 'everything that was accepted is heard');
    // What came twice would have come before this, which all processes get in the same order.
    await cluster.server(staying[0]!).trigger('news', 'end', 1);
    await until(() => ends === staying.length, 'all hear the end');
    expect(states).toEqual([]);
    for (const events of heard)
      for (const [publisher, count] of accepted.entries()) {
        const numbers = numbersOf(events, publisher);
        expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, n) => n));
        // One more may have been carried whose answer was lost.
        expect(numbers.length - count).toBeLessThanOrEqual(1);
      }
  }, 60_000);
}
