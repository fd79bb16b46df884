import { hostname } from 'node:os';
import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Broker, ChannelRepository, InProcessBroker } from 'rookery/channels';
import { version } from '#common';
import { PresenceModule, PresenceRepository, PresenceService } from 'rookery/presence';
import { RedisBroker, RedisChannelRepository, RedisModule, RedisPresenceRepository } from 'rookery/internal/redis';
import { ChannelsModule } from 'rookery/channels';
import { testApp } from '../support/channels-server.js';
import { describeRedis, TestRedis } from '../support/redis.js';

describeRedis('RedisModule in a host', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    Logger.overrideLogger(false);
    redis = await TestRedis.start();
  });
  afterAll(() => redis.stop());

  const host = async (...imports: NonNullable<Parameters<typeof Test.createTestingModule>[0]['imports']>) => {
    const modules = [RedisModule.forRoot({ url: redis.url }), PresenceModule.forRoot(), ...imports];
    return (await Test.createTestingModule({ imports: modules }).compile()).init();
  };

  it('is used by the other modules, in any order of imports', async () => {
    const channels = ChannelsModule.forRoot({ apps: [testApp] });
    const imports = [channels, PresenceModule.forRoot(), RedisModule.forRoot({ url: redis.url })];
    const app = await (await Test.createTestingModule({ imports }).compile()).init();
    expect(app.get(Broker)).toBeInstanceOf(RedisBroker);
    expect(app.get(ChannelRepository)).toBeInstanceOf(RedisChannelRepository);
    expect(app.get(PresenceRepository)).toBeInstanceOf(RedisPresenceRepository);
    await app.close();
  });

  it('leaves a port that the host has set', async () => {
    const app = await host(ChannelsModule.forRoot({ apps: [testApp], broker: InProcessBroker }));
    expect(app.get(Broker)).toBeInstanceOf(InProcessBroker);
    expect(app.get(ChannelRepository)).toBeInstanceOf(RedisChannelRepository);
    await app.close();
  });

  it('works with presence alone', async () => {
    const app = await host();
    const presence = app.get(PresenceService);
    await presence.join({ scope: 'a', name: 'room' }, '1', { userId: 'alice' });
    expect(await presence.members({ scope: 'a', name: 'room' })).toEqual([{ userId: 'alice' }]);
    await app.close();
  });

  it('lets another process remove what an ended one could not', async () => {
    const ended = await host();
    await ended.get(PresenceService).join({ scope: 'a', name: 'left' }, '1', { userId: 'bob' });
    await ended.close();
    const next = await host(ChannelsModule.forRoot({ apps: [testApp] }));
    expect(await next.get(PresenceService).members({ scope: 'a', name: 'left' })).toEqual([]);
    await next.close();
  });

  it('logs the number of live processes, and any mismatch between them', async () => {
    const lines: string[] = [];
    const keep = (line: unknown) => void lines.push(String(line));
    await redis.command('FLUSHALL');
    const hostOf = async (secret: string) => {
      const imports = [PresenceModule.forRoot(), ChannelsModule.forRoot({ apps: [{ ...testApp, secret }] })];
      const testing = Test.createTestingModule({ imports: [RedisModule.forRoot({ url: redis.url }), ...imports] });
      testing.setLogger({ log: keep, warn: keep, error: keep });
      return (await testing.compile()).init();
    };
    const one = await hostOf('one');
    expect(lines).toContain('1 process is alive on this Redis');
    // As a process of a version before would have said.
    const [, said] = (await redis.command('HGETALL', 'rookery:{nodes}:about')) as [string, string];
    const older = { ...(JSON.parse(said) as object), where: 'elsewhere:1', version: '0.0.1' };
    await redis.command('HSET', 'rookery:{nodes}:about', 'older', JSON.stringify(older));
    await redis.command('ZADD', 'rookery:{nodes}:leases', Date.now() + 60_000, 'older');
    const two = await hostOf('two');
    expect(lines).toContain('3 processes are alive on this Redis');
    expect(lines).toContain(`elsewhere:1 runs version 0.0.1, this process runs ${version}`);
    const here = `${hostname()}:${process.pid}`;
    expect(lines).toContain(`${here} has other apps or other secrets than this process, under the keyPrefix rookery`);
    Logger.overrideLogger(false);
    await Promise.all([one.close(), two.close()]);
  });

  it('reports an invalid setting in one line', async () => {
    const compile = (options: { readonly url: string; readonly prefix?: string }) =>
      Test.createTestingModule({
        imports: [PresenceModule.forRoot(), RedisModule.forRoot(options)],
      }).compile();
    await expect(compile({ url: 'http://localhost' })).rejects.toThrow(
      'RedisModule: url must be a URL such as redis://',
    );
    await expect(compile({ url: redis.url, prefix: 'x' })).rejects.toThrow('RedisModule: prefix is not a setting');
    await expect(compile({ url: 'redis://127.0.0.1:1' })).rejects.toThrow('redis://127.0.0.1:1: connect ECONNREFUSED');
  });
});
