import { Logger } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { RedisModule } from 'rookery/redis';
import { afterAll, beforeAll } from 'vitest';
import { TestRedis } from './redis.js';
import { testApp } from './test-app.js';

/** The ports of Channels and presence on a Redis of their own, for the tests of a file. */
export function useRedisPorts() {
  let redis: TestRedis;
  let app: TestingModule;
  beforeAll(async () => {
    Logger.overrideLogger(false);
    redis = await TestRedis.start();
    const imports = [RedisModule.forRoot({ url: redis.url }), PresenceModule.forRoot()];
    const testing = Test.createTestingModule({ imports: [...imports, ChannelsModule.forRoot({ apps: [testApp] })] });
    app = await (await testing.compile()).init();
  });
  afterAll(async () => {
    await app.close();
    await redis.stop();
  });
  return { redis: () => redis, app: () => app };
}
