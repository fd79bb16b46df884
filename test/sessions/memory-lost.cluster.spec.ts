import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { RedisModule } from 'rookery/redis';
import { testApp } from '../support/channels-server.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

/** So long that a process has started before another one's next heartbeat. */
const heartbeatSeconds = 5;

describeRedis('after Redis has lost its data, a process that started before the others noticed', () => {
  let redis: TestRedis;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    Logger.overrideLogger(false);
    redis = await TestRedis.start();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const close of closing.splice(0).toReversed()) await close();
  });
  afterAll(() => redis.stop());

  /** @returns how to connect to it */
  const start = async (): Promise<() => Promise<SocketClient>> => {
    const module = await Test.createTestingModule({
      imports: [
        RedisModule.forRoot({ url: redis.url, heartbeatSeconds }),
        PresenceModule.forRoot(),
        ChannelsModule.forRoot({ apps: [{ ...testApp, subscriptionCount: true }] }),
      ],
    }).compile();
    Logger.overrideLogger(false);
    const app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    closing.push(() => app.close());
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    return () => SocketClient.connect(port);
  };

  const leases = (): Promise<unknown> => redis.command('ZRANGE', 'rookery:{nodes}:leases', 0, -1, 'WITHSCORES');

  it('tells its clients of the members and counts that they could not see', async () => {
    const connectToFirst = await start();
    const alice = await connectToFirst();
    await alice.subscribe('presence-room', { user_id: 'alice' });
    await alice.subscribe('news');
    // The first process has just renewed its lease: it notices nothing before the next time.
    const before = JSON.stringify(await leases());
    await until(async () => JSON.stringify(await leases()) !== before, 'the lease is renewed');
    await redis.command('FLUSHALL');

    const connectToNewcomer = await start();
    const bob = await connectToNewcomer();
    const roster = (await bob.subscribe('presence-room', { user_id: 'bob' })) as { presence: { ids: string[] } };
    expect(roster.presence.ids).toEqual(['bob']);
    await bob.subscribe('news');
    expect(await bob.next('pusher_internal:member_added')).toMatchObject({ data: '{"user_id":"alice"}' });
    await until(
      () =>
        bob.frames.some(
          ({ event, data }) => event === 'pusher_internal:subscription_count' && data === '{"subscription_count":2}',
        ),
      'the count is right',
    );
    expect(await alice.next('pusher_internal:member_added')).toMatchObject({ data: '{"user_id":"bob"}' });
  });
});
