import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { BrokerMessage } from 'rookery/channels';
import { settingsOf } from '#common';
import {
  RedisBroker,
  RedisConnection,
  RedisJobStore,
  RedisPresenceRepository,
  RedisReceiptRepository,
  RedisSettings,
} from 'rookery/internal/redis';
import { describeRedis, TestRedis } from '../support/redis.js';
import { until } from '../support/until.js';

describeRedis('what another program wrote into Redis', () => {
  let redis: TestRedis;
  let connection: RedisConnection;
  let other: Redis;
  beforeAll(async () => {
    redis = await TestRedis.start();
  });
  beforeEach(async () => {
    connection = await RedisConnection.open(settingsOf(RedisSettings, { url: redis.url }));
    other = new Redis(redis.url);
  });
  afterEach(() => {
    connection.close();
    other.disconnect();
  });
  afterAll(() => redis.stop());

  const only = async (pattern: string): Promise<string> => {
    const [key = ''] = await other.keys(pattern);
    return key;
  };

  it('does not stop a process that reads it as a message, nor the messages after it', async () => {
    const broker = new RedisBroker(connection);
    const received: BrokerMessage[] = [];
    broker.receive({ message: (message) => received.push(message), lost: () => {} });
    await broker.subscribe('1', 'news');
    const [topic] = (await other.call('PUBSUB', 'SHARDCHANNELS')) as string[];
    for (const hostile of ['', 'zzz', 'zzz\n\n{}', '9\n{"kind":\n', '1700000000000000\n{"kind":"later"}\n'])
      await other.call('SPUBLISH', topic!, hostile);
    const text = '{"event":"a","channel":"news"}';
    await broker.publish({ kind: 'event', appId: '1', channel: 'news', text });
    await until(() => received.length > 0, 'the event arrives');
    expect(received).toEqual([{ kind: 'event', appId: '1', channel: 'news', text }]);
    broker.onApplicationShutdown();
  });

  it('is deleted as a job, and the jobs beside it are claimed', async () => {
    const store = new RedisJobStore(connection);
    const jobs = ['a', 'b', 'c'].map((id) => ({ id, owner: '1', key: id, dueAt: 0, data: id, state: null }));
    await store.add(jobs);
    await other.hset(await only('*jobs:data'), 'b', '{"cut');
    const claim = { id: '1', now: 1, limit: 10, perKey: 10, busy: new Set<string>(), leaseMs: 1000 };
    expect((await store.claim(claim)).map(({ id }) => id)).toEqual(['a', 'c']);
    expect(await store.size()).toBe(2);
  });

  it('is left out of who has received an event', async () => {
    const receipts = new RedisReceiptRepository(connection);
    const of = { appId: '1', receipt: 'r', isShown: false, at: 7, keepMs: 60_000 };
    await receipts.add([{ ...of, userId: 'alice' }], 10);
    for (const [user, times] of [
      ['mallory', 'unreadable'],
      ['mal', ''],
      ['lory', '1e400 '],
    ] as const)
      await other.hset(await only('*receipts:1 r'), user, times);
    expect(await receipts.find('1', 'r', 10)).toEqual([{ userId: 'alice', receivedAt: 7 }]);
    const shown = ['alice', 'mallory'].map((userId) => ({ ...of, userId, isShown: true }));
    expect(await receipts.add(shown, 10)).toEqual([true, false]);
  });

  it('is left out of a roster', async () => {
    const presence = new RedisPresenceRepository(connection);
    const room = { scope: '1', name: 'presence-a' };
    await presence.join(room, { nodeId: 'n', connectionId: '1.1' }, { userId: 'alice' }, 10);
    await other.hset(await only('*users:1 presence-a'), 'mallory', 'unreadable');
    expect((await presence.roster(room)).members).toEqual([{ userId: 'alice', since: expect.any(Number) as number }]);
  });
});
