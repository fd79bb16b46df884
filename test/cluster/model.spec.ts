import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestCluster } from '../support/cluster.js';
import { Random } from '../support/random.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { buildServer } from '../support/server-process.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { Model } from './model.js';

/** `npm run chaos -- --minutes 10 --seed 7` runs it for longer, or once more. */
const minutes = Number(process.env['CHAOS_MINUTES'] ?? (process.env['CI'] === 'true' ? 2 : 0.3));
const seed = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000);

describeRedis('presence over three processes', () => {
  let redis: TestRedis;
  let receiver: WebhookReceiver;
  let cluster: TestCluster;
  beforeAll(async () => {
    await buildServer();
    redis = await TestRedis.start();
    receiver = await WebhookReceiver.start();
    cluster = await TestCluster.start(3, {
      redisUrl: redis.url,
      app: {
        webhooks: [{ url: receiver.url('/hook'), events: ['member_added', 'member_removed'] }],
        subscriptionCount: true,
      },
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
      const model = new Model(cluster, redis, receiver, new Random(seed));
      const end = Date.now() + minutes * 60_000;
      let hasForgotten = false;
      for (let steps = 1; Date.now() < end; steps++) {
        const what = await model.step();
        hasForgotten ||= what === 'forget';
        if (steps % 15 === 0) await model.settle();
      }
      await model.settle();
      expect(model.repetitions(), model.history).toEqual([]);
      // A Redis that is gone has nobody to say whether what was held back is still so.
      if (hasForgotten) return;
      const sums = () => Object.fromEntries([...model.webhookSums()].filter(([, sum]) => sum !== 0));
      const expected = Object.fromEntries(model.members.map((member) => [member, 1]));
      await until(() => isSame(sums(), expected), 'the webhooks add up', 30_000).catch(() =>
        expect(sums(), model.history).toEqual(expected),
      );
    },
    minutes * 60_000 + 120_000,
  );
});

const isSame = (a: Record<string, number>, b: Record<string, number>): boolean =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => a[key] === b[key]);
