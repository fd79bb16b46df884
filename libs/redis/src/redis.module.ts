import { type FactoryProvider, Logger, Module, type OnModuleInit } from '@nestjs/common';
import { LeaseStore, NodeLease } from 'rookery/internal/channels';
import { byForRoot, configurable, importedOnce, required, supplyAll, ThisNode } from '#common';
import { shownUrl } from './redis-url.js';
import { RedisConnection } from './connection/redis.connection.js';
import { RedisMetrics } from './metrics.js';
import { RedisLeaseStore } from './nodes/redis-lease.store.js';
import { RedisJobStore } from './jobs/redis-job.store.js';
import * as implementations from './ports.js';
import { RedisSettings } from './redis.options.js';

const missing = 'RedisModule needs PresenceModule: add PresenceModule.forRoot() to the imports beside it';

const once = importedOnce('RedisModule', 'forRoot({ url })');

const connection: FactoryProvider<RedisConnection> = {
  provide: RedisConnection,
  inject: [RedisSettings, once.provide],
  useFactory: (settings: RedisSettings) => RedisConnection.open(settings),
};

const ports = [...supplyAll(implementations), RedisJobStore];

/**
 * The state that processes share, in Redis. Importing it is enough: the other modules use it wherever you name no other
 * implementation. To keep webhooks here too, use `webhookOutbox: { useExisting: RedisJobStore }`.
 */
@Module({
  providers: [
    once,
    ...byForRoot('RedisModule.forRoot({ url })', [RedisSettings]),
    connection,
    ...required({ missing, services: [ThisNode] }),
    ...ports,
    { provide: LeaseStore, useClass: RedisLeaseStore },
    NodeLease,
    RedisMetrics,
  ],
  exports: [RedisConnection, NodeLease, RedisMetrics, ...ports],
})
export class RedisModule
  extends configurable({ name: 'RedisModule', settings: RedisSettings })
  implements OnModuleInit
{
  private readonly logger = new Logger(RedisModule.name);

  constructor(private readonly redis: RedisConnection) {
    super();
  }

  onModuleInit(): void {
    this.logger.log(`${shownUrl(this.redis.settings.url)}, keys begin with ${this.redis.settings.keyPrefix}`);
  }
}
