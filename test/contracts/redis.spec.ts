import { afterAll, beforeAll } from 'vitest';
import { settingsOf } from 'rookery/common';
import {
  RedisBroker,
  RedisChannelRepository,
  RedisConnection,
  RedisIdempotencyKeys,
  RedisPresenceRepository,
  RedisRequestRates,
  RedisSessionRepository,
  RedisSettings,
  RedisTriggerRate,
  RedisWebhookOutbox,
} from 'rookery/redis';
import { TestRedisCluster } from '../support/redis-cluster.js';
import { describeRedis, isValkeyInstalled, TestRedis } from '../support/redis.js';
import { brokerContract } from './broker.contract.js';
import { channelRepositoryContract } from './channel-repository.contract.js';
import { itKeeps } from './contract.js';
import { idempotencyKeysContract } from './idempotency-keys.contract.js';
import { requestRatesContract } from './request-rates.contract.js';
import { triggerRateContract } from './trigger-rate.contract.js';
import { sessionRepositoryContract } from './session-repository.contract.js';
import { webhookOutboxContract } from './webhook-outbox.contract.js';
import { presenceRepositoryContract } from './presence-repository.contract.js';

describeRedis.each<readonly [string, () => Promise<TestRedis | TestRedisCluster>]>([
  ['Redis', () => TestRedis.start()],
  ['Redis Cluster', () => TestRedisCluster.start()],
  ...(isValkeyInstalled() ? [['Valkey', () => TestRedis.startValkey()] as const] : []),
])('on %s', (_, start) => {
  let redis: TestRedis | TestRedisCluster;
  beforeAll(async () => void (redis = await start()));
  afterAll(() => redis.stop());

  let tests = 0;

  /** A port on a Redis with nothing in it that it could find. */
  function fresh<Port>(port: (connection: RedisConnection) => Port, close = (_made: Port): void => {}) {
    return async () => {
      const settings = settingsOf(RedisSettings, { url: redis.url, keyPrefix: `test-${++tests}` });
      const connection = await RedisConnection.open(settings);
      const made = port(connection);
      const end = (): void => {
        close(made);
        connection.close();
      };
      return { port: made, close: end };
    };
  }

  describeRedis('RedisBroker', () => {
    const broker = (connection: RedisConnection) => new RedisBroker(connection);
    itKeeps(
      brokerContract,
      fresh(broker, (made) => made.onApplicationShutdown()),
    );
  });

  describeRedis('RedisChannelRepository', () => {
    itKeeps(
      channelRepositoryContract,
      fresh((connection) => new RedisChannelRepository(connection)),
    );
  });

  describeRedis('RedisWebhookOutbox', () => {
    itKeeps(
      webhookOutboxContract,
      fresh((connection) => new RedisWebhookOutbox(connection)),
    );
  });

  describeRedis('RedisSessionRepository', () => {
    itKeeps(
      sessionRepositoryContract,
      fresh((connection) => new RedisSessionRepository(connection)),
    );
  });

  describeRedis('RedisPresenceRepository', () => {
    itKeeps(
      presenceRepositoryContract,
      fresh((connection) => new RedisPresenceRepository(connection)),
    );
  });

  describeRedis('RedisTriggerRate', () => {
    itKeeps(
      triggerRateContract,
      fresh((connection) => new RedisTriggerRate(connection)),
    );
  });

  describeRedis('RedisIdempotencyKeys', () => {
    itKeeps(
      idempotencyKeysContract,
      fresh((connection) => new RedisIdempotencyKeys(connection)),
    );
  });

  describeRedis('RedisRequestRates', () => {
    itKeeps(
      requestRatesContract,
      fresh((connection) => new RedisRequestRates(connection)),
    );
  });
});
