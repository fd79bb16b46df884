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
} from 'rookery/internal/redis';
import { newSessionId } from '@rookery/client';
import { TestRedisCluster } from '../support/redis-cluster.js';
import { describeRedis, redisAndValkey, type TestRedis } from '../support/redis.js';
import { until } from '../support/until.js';
import { describePortsOf } from './ports-of.js';

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

  const sessions = fresh((connection) => new RedisSessionRepository(connection));

  describePortsOf('Redis', {
    Broker: fresh(
      (connection) => new RedisBroker(connection),
      (made) => made.onApplicationShutdown(),
    ),
    ChannelRepository: fresh((connection) => new RedisChannelRepository(connection)),
    PresenceRepository: fresh((connection) => new RedisPresenceRepository(connection)),
    SessionRepository: sessions,
    IdempotencyKeys: fresh((connection) => new RedisIdempotencyKeys(connection)),
    ReceiptRepository: fresh((connection) => new RedisReceiptRepository(connection)),
    RequestRates: fresh((connection) => new RedisRequestRates(connection)),
    JobStore: fresh((connection) => new RedisJobStore(connection)),
    ConsoleStore: fresh((connection) => new RedisConsoleStore(connection)),
  });

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
