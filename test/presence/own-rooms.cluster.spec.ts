import { Test, type TestingModule } from '@nestjs/testing';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule, PresenceService } from 'rookery/presence';
import { RedisConnection, RedisModule } from 'rookery/redis';
import { describeRedis, TestRedis } from '../support/redis.js';
import { testApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const modules = {
  'no channels': [],
  channels: [ChannelsModule.forRoot({ apps: [testApp] })],
};

describeRedis.each(Object.entries(modules))('Applications with rooms of their own in Redis, and %s', (_, others) => {
  const room = { scope: 'office', name: 'kitchen' };
  const processes: TestingModule[] = [];
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await TestRedis.start();
    return () => redis.stop();
  });
  const logger = { log() {}, error() {}, warn() {} };
  afterEach(async () => {
    for (const each of processes.splice(0)) await each.close();
  });

  async function start(): Promise<{ readonly presence: PresenceService; die(): void }> {
    const settings = { url: redis.url, heartbeatSeconds: 0.3, leaseSeconds: 3 };
    const imports = [RedisModule.forRoot(settings), PresenceModule.forRoot(), ...others];
    const process = await Test.createTestingModule({ imports }).setLogger(logger).compile();
    await process.init();
    processes.push(process);
    return { presence: process.get(PresenceService), die: () => process.get(RedisConnection).close() };
  }

  it('keep nobody present whose process has died', async () => {
    const [one, other] = [await start(), await start()];
    await one.presence.join(room, 'c1', { userId: 'alice' });
    await other.presence.join(room, 'c2', { userId: 'bob' });
    const present = async (): Promise<string> =>
      (await other.presence.members(room)).map(({ userId }) => userId).join();
    expect(await present()).toBe('alice,bob');
    one.die();
    await until(async () => (await present()) === 'bob', "alice's process is taken out");
  });

  it('are asked again whom they hold after Redis has lost its data', async () => {
    const { presence } = await start();
    const alice = { room, connectionId: 'c1', member: { userId: 'alice' } };
    await presence.join(room, alice.connectionId, alice.member);
    presence.holds(() => [alice]);
    await redis.command('FLUSHALL');
    await until(async () => (await presence.members(room)).length > 0, 'alice is present again');
    expect(await presence.members(room)).toEqual([alice.member]);
  });
});
