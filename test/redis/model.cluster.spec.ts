import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, it } from 'vitest';
import { TestCluster } from '../support/cluster.js';
import { Random } from '../support/random.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { TestRedisSentinels } from '../support/redis-sentinels.js';
import { buildServer } from '../support/server-process.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { type Failure, Model } from './cluster-model.js';

/** `npm run soak -- presence --minutes 10 --seed 7` runs it for longer, or once more. */
const minutes = Number(process.env['CHAOS_MINUTES'] ?? (process.env['CI'] === 'true' ? 1 : 0.3));
const seed = Number(process.env['CHAOS_SEED'] ?? 7);

interface Kind {
  readonly start: () => Promise<{ readonly url: string; readonly fail: Failure; readonly stop: () => Promise<void> }>;
  /** Its part of the time. */
  readonly share: number;
}

/** It is killed, and started empty. */
const one: Kind = {
  share: 0.6,
  async start() {
    const redis = await TestRedis.start();
    const fail: Failure = async (random) => {
      await redis.kill();
      await delay(random.below(500));
      await redis.start();
    };
    return { url: redis.url, fail, stop: () => redis.stop() };
  },
};

/** Its replica takes over, which lacks the latest, or while the master hangs. */
const sentinels: Kind = {
  share: 0.4,
  async start() {
    const redis = await TestRedisSentinels.start();
    const fail: Failure = (random, meanwhile) => (random.below(3) === 0 ? redis.hang() : redis.failOver(meanwhile));
    return { url: redis.url, fail, stop: () => redis.stop() };
  },
};

/** It ends connections for subscriptions again and again, as when processes read their messages too slowly. */
const kicking: Kind = {
  share: 0.4,
  async start() {
    const redis = await TestRedis.start();
    const fail: Failure = async (random, meanwhile) => {
      for (let left = 1 + random.below(6); left > 0; left--) {
        await redis.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
        await meanwhile();
        await delay(random.below(150));
      }
    };
    return { url: redis.url, fail, stop: () => redis.stop() };
  },
};

describeRedis.each([
  ['one Redis', one],
  ['a Redis that ends slow connections', kicking],
  ['a Redis with a replica', sentinels],
])('presence over three processes on %s', (_, { start, share }) => {
  let redis: Awaited<ReturnType<Kind['start']>>;
  let receiver: WebhookReceiver;
  let cluster: TestCluster;
  beforeAll(async () => {
    await buildServer();
    redis = await start();
    receiver = await WebhookReceiver.start();
    const events = ['channel_occupied', 'channel_vacated', 'member_added', 'member_removed'];
    cluster = await TestCluster.start(3, {
      redisUrl: redis.url,
      app: { webhooks: [{ url: receiver.url('/hook'), events }], subscriptionCount: true },
      file: {
        redis: { heartbeatSeconds: 0.3, leaseSeconds: 1, commandTimeoutSeconds: 1 },
        channels: { drainSeconds: 1, webhooks: { holdMs: 500 } },
      },
    });
  }, 180_000);
  afterAll(async () => {
    await cluster.stop();
    await receiver.close();
    await redis.stop();
  });

  it(
    `is what a model says, whatever happens to processes, clients and Redis (seed ${seed})`,
    async () => {
      // Those of a run before, which failed.
      cluster.disconnect();
      const model = new Model(cluster, redis.fail, receiver, new Random(seed));
      const end = Date.now() + share * minutes * 60_000;
      let hasFailed = false;
      for (let steps = 1; Date.now() < end; steps++) {
        const what = await model.step();
        hasFailed ||= what === 'failRedis';
        if (steps % 15 === 0) await model.settle();
      }
      await model.settle();
      const wrong = (): string[] => {
        const sums = model.webhookSums();
        const { existing } = model;
        const should = (key: string): number => (existing.includes(key) ? 1 : 0);
        // A Redis that has forgotten cannot say whether what was held back still applies, and what came while its
        // replica lagged comes again, as what went does: then webhooks may say once too often that something came, or
        // went that was gone. That something came is never said too seldom: what is said last is so.
        const last = model.webhooksLast();
        const isRight = (key: string, sum: number, expected: number): boolean =>
          sum === expected || (hasFailed && (sum > expected || last.get(key) === expected));
        return [...new Set([...sums.keys(), ...existing])]
          .filter((key) => !isRight(key, sums.get(key) ?? 0, should(key)))
          .map((key) => `${key}: ${sums.get(key) ?? 0} instead of ${should(key)}`);
      };
      const addUp = (): boolean => wrong().length === 0;
      await until(addUp, 'the webhooks add up', 30_000).catch(() => model.fail(wrong().join('\n')));
    },
    minutes * 60_000 + 180_000,
  );
});
