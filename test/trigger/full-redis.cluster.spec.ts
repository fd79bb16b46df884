import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Broker, ChannelsApiError, ChannelsModule, EventsService } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { RedisModule } from 'rookery/redis';
import { describeRedis, redisAndValkey, type TestRedis } from '../support/redis.js';
import { until } from '../support/until.js';

const [hog, other] = ['hog', 'other'].map((id) => ({ id, key: `${id}-key`, secret: `${id}-secret` }));
const maxMegabytes = 60;

describeRedis.each(redisAndValkey())('of a small memory, %s', (_, start) => {
  let redis: TestRedis;
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => void (redis = await start()));
  afterAll(() => redis.stop());
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    await redis.command('FLUSHALL');
  });

  async function process() {
    const imports = [
      RedisModule.forRoot({ url: redis.url, outageSeconds: 1 }),
      PresenceModule.forRoot(),
      ChannelsModule.forRoot({ apps: [hog!, other!] }),
    ];
    const module = await Test.createTestingModule({ imports }).compile();
    Logger.overrideLogger(false);
    await module.init();
    closing.push(() => module.close());
    return { events: module.get(EventsService), broker: module.get(Broker) };
  }
  const usedMegabytes = async () =>
    Number(/used_memory:(\d+)/.exec(String(await redis.command('INFO', 'memory')))?.[1]) / 1e6;

  it('keeps no more than its share for one app, and the triggers of others are not refused', async () => {
    await redis.command('CONFIG', 'SET', 'maxmemory', `${maxMegabytes}mb`);
    const { events } = await process();
    const data = 'x'.repeat(10_000);
    const rounds = Array.from({ length: 100 }, (_each, n) => n);
    const outcomes: string[] = [];
    for (const round of rounds) {
      const channels = Array.from({ length: 100 }, (_each, n) => `cache-${round}-${n}`);
      const outcome = await events.trigger('hog', { name: 'e', data, channels }).then(
        () => 'accepted',
        (error: unknown) => (error instanceof ChannelsApiError ? String(error.status) : String(error)),
      );
      outcomes.push(outcome);
    }
    expect(new Set(outcomes)).toEqual(new Set(['accepted', '429']));
    const used = await usedMegabytes();
    console.log(`100 MB in ${outcomes.filter((each) => each === 'accepted').length} MB accepted; Redis has ${used} MB`);
    expect(used).toBeLessThan(maxMegabytes / 2);
    for (const channel of ['plain', 'cache-of-another'])
      expect(await events.trigger('other', { name: 'e', data, channel })).toEqual({});
    expect(await events.trigger('hog', { name: 'e', data, channel: 'plain' })).toEqual({});
  });

  it('counts what was kept before a restart', async () => {
    await redis.command('CONFIG', 'SET', 'maxmemory', `${maxMegabytes}mb`);
    const data = 'x'.repeat(10_000);
    for (let life = 0; life < 4; life++) {
      const { events } = await process();
      for (let round = 0; round < 40; round++) {
        const channels = Array.from({ length: 100 }, (_each, n) => `cache-${life}-${round}-${n}`);
        await events.trigger('hog', { name: 'e', data, channels }).catch((error: unknown) => {
          if (!(error instanceof ChannelsApiError && error.status === 429)) throw error;
        });
      }
      await closing.pop()!();
    }
    const used = await usedMegabytes();
    console.log(`160 MB in 4 lives: Redis has ${used} MB`);
    expect(used).toBeLessThan(maxMegabytes * 0.8);
    const { events } = await process();
    expect(await events.trigger('other', { name: 'e', data, channel: 'plain' })).toEqual({});
  });

  it('has one share for all processes', async () => {
    const rooms = async (brokers: readonly Broker[]) => {
      for (const each of brokers) await each.publish({ kind: 'event', appId: 'hog', channel: 'c', text: 't' }, 10);
      return brokers.map(({ room }) => room?.processes);
    };
    const [one, another] = [(await process()).broker, (await process()).broker];
    await until(async () => (await rooms([one, another])).join() === '2,2', 'both know of each other');
    expect(one.room).not.toHaveProperty('maxBytes');
  });

  it('takes what it need not keep when it is full', async () => {
    const { events, broker } = await process();
    const heard: string[] = [];
    broker.receive({
      message: (message) => void (message.kind === 'event' && heard.push(message.text)),
      lost: () => {},
    });
    await broker.subscribe('other', 'plain');
    await redis.command('CONFIG', 'SET', 'maxmemory', '1mb');
    expect(await events.trigger('other', { name: 'e', data: 'full', channel: 'plain' })).toEqual({});
    await until(() => heard.some((text) => text.includes('full')), 'it arrives');
    await expect(broker.publish({ kind: 'event', appId: 'other', channel: 'c', text: 't' }, 10)).rejects.toThrow('OOM');
    expect(await events.trigger('other', { name: 'e', data: 'again', channel: 'plain' })).toEqual({});
  });
});
