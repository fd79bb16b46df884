import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { settingsOf } from 'rookery/common';
import type { Topic } from 'rookery/channels';
import {
  RedisBroker,
  RedisChannelRepository,
  RedisConnection,
  RedisIdempotencyKeys,
  RedisRequestRates,
  RedisSettings,
  RedisTriggerRate,
} from 'rookery/redis';
import { describeRedis, TestRedis } from '../support/redis.js';
import { until } from '../support/until.js';

describeRedis('the connections to Redis', () => {
  let redis: TestRedis;
  const closing: (() => void)[] = [];
  beforeAll(async () => {
    Logger.overrideLogger(false);
    redis = await TestRedis.start();
  });
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });
  afterAll(() => redis.stop());

  const connect = async (options: Partial<RedisSettings> = {}): Promise<RedisConnection> => {
    const given = { url: redis.url, heartbeatSeconds: 0.1, lingerSeconds: 0, ...options };
    const connection = await RedisConnection.open(settingsOf(RedisSettings, given));
    closing.push(() => connection.close());
    return connection;
  };

  /** A broker, what reached it, and where it was told that messages may be lost. */
  const listen = async (options: Partial<RedisSettings> = {}) => {
    const broker = new RedisBroker(await connect(options));
    closing.push(() => broker.onApplicationShutdown());
    const heard: string[] = [];
    const lost: Topic[] = [];
    broker.receive({
      message: (message) => void heard.push(message.kind === 'event' ? message.text : message.kind),
      lost: (topics) => void lost.push(...topics),
    });
    return { broker, heard, lost };
  };

  const event = (channel: string, text: string) => ({ kind: 'event', appId: 'app', channel, text }) as const;
  const commands = async (): Promise<number> =>
    Number(/total_commands_processed:(\d+)/.exec(String(await redis.command('INFO', 'stats')))![1]);
  const topics = async (): Promise<readonly string[]> =>
    (await redis.command('PUBSUB', 'SHARDCHANNELS', '*')) as string[];

  it('subscribe only to what somebody here listens to, and drop it when nobody does any more', async () => {
    const { broker } = await listen();
    await broker.publish(event('nobody', '1'));
    expect(await topics()).toEqual([]);
    await broker.subscribe('app', 'somebody');
    expect(await topics()).toHaveLength(1);
    broker.unsubscribe('app', 'somebody');
    await until(async () => (await topics()).length === 0, 'it is dropped');
  });

  it('take one command to publish what nobody listens to, and one for each of a hundred channels in one go', async () => {
    const { broker } = await listen({ heartbeatSeconds: 60 });
    await broker.publish(event('warm', 'up'));
    const before = await commands();
    await broker.publish(event('nobody', '1'));
    await Promise.all(Array.from({ length: 100 }, (_, n) => broker.publish(event(`nobody-${n}`, '1'))));
    // What the script does inside counts as well: TIME, GET, SET and SPUBLISH; beside it, the question itself.
    expect((await commands()) - before).toBeLessThanOrEqual(101 * 5 + 4);
  });

  it('that Redis ends are made again, with all that was subscribed, and it is said what may be lost', async () => {
    const { broker, heard, lost } = await listen();
    for (let n = 0; n < 300; n++) await broker.subscribe('app', `c-${n}`);
    const before = await commands();
    await redis.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await until(() => lost.length >= 300, 'it is said what may be lost');
    expect(new Set(lost.map(({ channel }) => channel)).size).toBe(300);
    expect(await topics()).toHaveLength(300);
    await broker.publish(event('c-7', 'again'));
    await until(() => heard.includes('again'), 'messages come again');
    // One command for each of the 128 partitions at most, not one for each channel.
    expect((await commands()) - before).toBeLessThan(300);
  });

  it('that have lost a subscription without a word notice it, and make it again', async () => {
    const { broker, heard, lost } = await listen({ heartbeatSeconds: 0.2 });
    for (const channel of ['kept', 'dropped']) await broker.subscribe('app', channel);
    // As after a failed resubscription, of which a driver may say nothing.
    const { subscriptions } = broker as unknown as { subscriptions: { subscribers: Map<string, { redis: any }> } };
    const [subscriber] = subscriptions.subscribers.values();
    const [dropped] = (await topics()).filter((name) => name.endsWith('dropped'));
    await subscriber!.redis.sunsubscribe(dropped);
    await until(async () => (await topics()).length === 2, 'it is made again');
    await until(() => lost.some(({ channel }) => channel === 'dropped'), 'it is said');
    await broker.publish(event('dropped', 'again'));
    await until(() => heard.includes('again'), 'messages come again');
  });

  it('to a Redis that evicts live state are not made', async () => {
    await redis.command('CONFIG', 'SET', 'maxmemory', '100mb');
    await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    await expect(connect()).rejects.toThrow('Set it to noeviction');
    await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
  });

  it('refuse what a full Redis does not take, though it answers a PING', async () => {
    const channels = new RedisChannelRepository(await connect({ outageSeconds: 0 }));
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    await expect(channels.occupy('app', 'news', 'node', 1)).rejects.toThrow('Redis cannot be reached: OOM');
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    expect(await channels.occupy('app', 'news', 'node', 1)).toMatchObject({ count: 1 });
  });

  it('count requests in this process while Redis takes no writes, and together with the others again', async () => {
    const connection = await connect();
    const rates = new RedisRequestRates(connection);
    const limit = { name: 'one', perSecond: 0.001, atOnce: 2 };
    const take = () => rates.take([limit]);
    expect(await take()).toBe(0);
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    expect([await take(), await take(), await take()]).toEqual([0, 0, 1000]);
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    // Whatever is answered says that it is back; in a server it is the heartbeat.
    await connection.ask((client) => client.ping());
    expect(await take()).toBe(0);
    expect(await take()).toBeGreaterThan(0);
  });

  it('leave no key that neither ends by itself nor belongs to a process', async () => {
    const { broker } = await listen();
    await broker.publish(event('cache-a', '1'), 60);
    const channels = new RedisChannelRepository(await connect());
    await channels.occupy('app', 'news', 'node', 1);
    await channels.occupy('app', 'news', 'node', 0);
    await channels.takeOut('node', 'heir');
    const connection = await connect();
    await new RedisTriggerRate(connection).take('app', 10, 3);
    await new RedisRequestRates(connection).take([{ name: 'one', perSecond: 1, atOnce: 100 }]);
    const keys = new RedisIdempotencyKeys(connection);
    await keys.claim({ appId: 'app', key: 'under way', print: 'a', claimId: '1' });
    await keys.answer({ appId: 'app', key: 'answered', print: 'a', claimId: '2' }, '{}');
    const names = (await redis.command('KEYS', '*')) as string[];
    for (const name of names) expect([name, Number(await redis.command('PTTL', name)) > 0]).toEqual([name, true]);
    expect(names.length).toBeGreaterThan(4);
  });
});
