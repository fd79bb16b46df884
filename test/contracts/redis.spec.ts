import { afterAll, beforeAll, expect, it } from 'vitest';
import { settingsOf } from '#common';
import {
  RedisBroker,
  RedisChannelRepository,
  RedisConnection,
  RedisIdempotencyKeys,
  RedisPresenceRepository,
  RedisReceiptRepository,
  RedisRequestRates,
  RedisSessionRepository,
  RedisSettings,
  RedisConsoleStore,
  RedisJobStore,
} from 'rookery/redis';
import { newSessionId } from '@rookery/client';
import { TestRedisCluster } from '../support/redis-cluster.js';
import { describeRedis, redisAndValkey, type TestRedis } from '../support/redis.js';
import { until } from '../support/until.js';
import {
  describeBroker,
  describeChannelRepository,
  describeIdempotencyKeys,
  describePresenceRepository,
  describeReceiptRepository,
  describeRequestRates,
  describeSessionRepository,
  describeConsoleStore,
  describeJobStore,
} from '@rookery/testing';

describeRedis.each<readonly [string, () => Promise<TestRedis | TestRedisCluster>]>([
  ...redisAndValkey(),
  ['Redis Cluster', () => TestRedisCluster.start()],
])('on %s', (_, start) => {
  let redis: TestRedis | TestRedisCluster;
  beforeAll(async () => void (redis = await start()));
  afterAll(() => redis.stop());

  let tests = 0;

  /** A port on a Redis with nothing in it that it could find. */
  function fresh<Port>(port: (connection: RedisConnection) => Port, close = (_made: Port): void => {}) {
    return async (atEnd: (end: () => void) => void) => {
      const settings = settingsOf(RedisSettings, { url: redis.url, keyPrefix: `test-${++tests}` });
      const connection = await RedisConnection.open(settings);
      const made = port(connection);
      atEnd(() => {
        close(made);
        connection.close();
      });
      return made;
    };
  }

  describeRedis('RedisBroker', () => {
    const broker = (connection: RedisConnection) => new RedisBroker(connection);
    describeBroker(fresh(broker, (made) => made.onApplicationShutdown()));
  });

  describeRedis('RedisChannelRepository', () => {
    describeChannelRepository(fresh((connection) => new RedisChannelRepository(connection)));
  });

  describeRedis('RedisJobStore', () => {
    describeJobStore(fresh((connection) => new RedisJobStore(connection)));
  });

  describeRedis('RedisSessionRepository', () => {
    const sessions = fresh((connection) => new RedisSessionRepository(connection));
    describeSessionRepository(sessions);

    it('takes no session for lost that begins after the start of its process, on an empty Redis', async () => {
      const ends: (() => void)[] = [];
      const repository = await sessions((end) => ends.push(end));
      await repository.onApplicationBootstrap();
      const startedAt = Date.now();
      await until(() => Date.now() > startedAt + 1, 'the session is younger, by any clock');
      const opened = await repository.open({ appId: 'app', key: 'key', id: newSessionId() }, '1.1', 600);
      expect(opened?.isLost ?? false).toBe(false);
      for (const end of ends) end();
    });
  });

  describeRedis('RedisConsoleStore', () => {
    describeConsoleStore(fresh((connection) => new RedisConsoleStore(connection)));
  });

  describeRedis('RedisPresenceRepository', () => {
    describePresenceRepository(fresh((connection) => new RedisPresenceRepository(connection)));
  });

  describeRedis('RedisIdempotencyKeys', () => {
    describeIdempotencyKeys(fresh((connection) => new RedisIdempotencyKeys(connection)));
  });

  describeRedis('RedisReceiptRepository', () => {
    describeReceiptRepository(fresh((connection) => new RedisReceiptRepository(connection)));
  });

  describeRedis('RedisRequestRates', () => {
    describeRequestRates(fresh((connection) => new RedisRequestRates(connection)));
  });
});
