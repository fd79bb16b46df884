import { Injectable, type LoggerService, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PushDeviceModule } from 'rookery/push-device';
import { PushGateways } from './delivery/push-gateways.js';
import { FcmGateway } from './delivery/fcm/fcm.gateway.js';
import { MemoryPublishOutbox } from './outbox/memory-publish.outbox.js';
import { PublishOutbox } from './outbox/publish.outbox.js';
import { PublishModule } from './publish.module.js';
import { type PublishOptions, PublishSettings } from './publish.options.js';
import { PublishService } from './publish.service.js';

const instance = { id: '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', secretKey: 'secret' };
const lines: string[] = [];
const keep = (message: unknown): void => void lines.push(String(message));
const logger: LoggerService = { log: keep, warn: keep, error: keep };

@Module({})
class HostModule {}

async function boot(publish: ReturnType<typeof PublishModule.forRoot>) {
  lines.length = 0;
  const imports = [PushDeviceModule.forRoot({ instances: [instance], allowMemoryInProduction: true }), publish];
  const options = { logger, abortOnError: false };
  const app = await NestFactory.create({ module: HostModule, imports }, new FastifyAdapter(), options);
  return app.init();
}

afterEach(() => void vi.unstubAllEnvs());

describe('PublishModule', () => {
  it('runs without configuration, logs the class behind each port, and warns that it keeps everything in memory', async () => {
    const app = await boot(PublishModule.forRoot());
    expect(lines).toContain(
      'Serves /publish_api/v1, /customer_api/v1, /user_api/v1, /reporting_api/v2; PublishOutbox: MemoryPublishOutbox, ' +
        'JobStore: MemoryJobStore, PushGateway: ApnsGateway, FcmGateway, WebPushGateway',
    );
    expect(lines).toContain('Publishes are kept in memory: what is not sent yet is lost on restart');
    const publish = { interests: ['a'], fcm: {} };
    expect(await app.get(PublishService).publishToInterests(instance.id, publish)).toHaveProperty('publishId');
    await app.close();
  });

  it('accepts another implementation of a port in one line: a class, an object or a factory', async () => {
    @Injectable()
    class OtherOutbox extends MemoryPublishOutbox {}
    const fcmGateway = new FcmGateway();
    class OtherGateway extends FcmGateway {}
    const app = await boot(
      PublishModule.forRootAsync({
        useFactory: () => ({ pageSize: 50 }),
        publishOutbox: OtherOutbox,
        fcmGateway,
        webGateway: { useFactory: () => new OtherGateway() },
      }),
    );
    expect(app.get(PublishOutbox)).toBeInstanceOf(OtherOutbox);
    expect(app.get(PushGateways).all[1]).toBe(fcmGateway);
    expect(app.get(PushGateways).all[2]).toBeInstanceOf(OtherGateway);
    expect(app.get(PublishSettings).pageSize).toBe(50);
    await app.close();
  });

  it('refuses to keep publishes in memory in production unless allowed', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    await expect(boot(PublishModule.forRoot())).rejects.toThrow('forRoot({ publishOutbox: TypeOrmPublishOutbox })');
    await (await boot(PublishModule.forRoot({ allowMemoryInProduction: true }))).close();
  });

  it('delivers in a process without HTTP', async () => {
    const imports = [PushDeviceModule.forRoot({ instances: [instance] }), PublishModule.forRoot({ pollMs: 5 })];
    const worker = await NestFactory.createApplicationContext({ module: HostModule, imports }, { logger });
    const publishes = worker.get(PublishService);
    const { publishId } = await publishes.publishToInterests(instance.id, { interests: ['a'], fcm: {} });
    await expect.poll(() => publishes.status(instance.id, publishId)).toMatchObject({ state: 'finished' });
    await worker.close();
  });

  it('sends no publish if the worker is switched off', async () => {
    const app = await boot(PublishModule.forRoot({ worker: false }));
    const { publishId } = await app.get(PublishService).publishToInterests(instance.id, { interests: ['a'], fcm: {} });
    await new Promise((done) => setImmediate(done));
    expect(await app.get(PublishService).status(instance.id, publishId)).toMatchObject({ state: 'pending' });
    await app.close();
  });

  it.each([
    [{ pageSize: 2 }, 'PublishModule: pageSize must be a whole number of at least 3, got 2'],
    [{ concurrency: { web: 0 } }, 'PublishModule: concurrency.web must be a whole number of at least 1, got 0'],
    [{ leaseMs: Number.NaN }, 'PublishModule: leaseMs must be a whole number of at least 1000, got NaN'],
    [
      { firstRetryMs: 50, longestRetryMs: 20 },
      'PublishModule: longestRetryMs must not be less than firstRetryMs, got 20',
    ],
    [{ deletionGuardShare: 2 }, 'PublishModule: deletionGuardShare must be a number from 0 to 1, got 2'],
    [{ webPushHosts: 'push.example' }, 'PublishModule: webPushHosts must be an array, got string'],
    [
      { webPushHosts: ['*', 'https://push.example'] },
      "PublishModule: webPushHosts[1] must be a host such as 'push.example.com', '*.example.com' or '*', got \"https://push.example\"",
    ],
    [{ concurrency: { sms: 1 } }, 'PublishModule: concurrency.sms is not a setting; known are apns, fcm, web'],
    [
      { pagesize: 5 },
      /^PublishModule: pagesize is not a setting; known are worker, .*\. Write forRoot\({ pageSize: … }\)$/,
    ],
    [{ outbox: {} }, /^PublishModule: outbox is not a setting; known are .*, publishOutbox, /],
  ])('refuses %j, in forRoot and in forRootAsync', async (options, message) => {
    // As an untyped host may call it.
    await expect(boot(PublishModule.forRoot(options as PublishOptions))).rejects.toThrow(message);
    const later = PublishModule.forRootAsync({ useFactory: () => options as PublishOptions });
    await expect(boot(later)).rejects.toThrow(message);
  });

  it('says where to put a port that the factory returned, and refuses settings that would be ignored', async () => {
    const within = PublishModule.forRootAsync({ useFactory: () => ({ publishOutbox: MemoryPublishOutbox }) as object });
    await expect(boot(within)).rejects.toThrow(
      'PublishModule: publishOutbox stands beside useFactory: write forRootAsync({ useFactory, publishOutbox: … })',
    );
    const beside = { useFactory: () => ({}), pageSize: 50 };
    expect(() => PublishModule.forRootAsync(beside)).toThrow(
      /^PublishModule: forRootAsync takes no pageSize beside its factory; known are useFactory, .*publishOutbox/,
    );
  });

  it('accepts Infinity, and undefined for an omitted setting', async () => {
    const app = await boot(PublishModule.forRoot({ retentionMs: Infinity, pageSize: undefined }));
    expect(app.get(PublishSettings)).toMatchObject({ retentionMs: Infinity, pageSize: 1000 });
    await app.close();
  });
});
