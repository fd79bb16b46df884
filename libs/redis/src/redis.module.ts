import { type FactoryProvider, Logger, Module, type OnModuleInit, type Type } from '@nestjs/common';
import { Broker, ChannelRepository, IdempotencyKeys, ReceiptRepository, SessionRepository } from 'rookery/channels';
import { LeaseStore, NodeLease } from 'rookery/internal/channels';
import {
  byForRoot,
  supply,
  configurable,
  ConsoleStore,
  importedOnce,
  type Port,
  RequestRates,
  required,
  ThisNode,
} from '#common';
import { PresenceRepository } from 'rookery/presence';
import { RedisBroker } from './broker/redis.broker.js';
import { RedisChannelRepository } from './channels/redis-channel.repository.js';
import { shownUrl } from './redis-url.js';
import { RedisConnection } from './connection/redis.connection.js';
import { RedisIdempotencyKeys } from './idempotency/redis-idempotency.keys.js';
import { RedisRequestRates } from './limits/redis-request.rates.js';
import { RedisMetrics } from './metrics.js';
import { RedisLeaseStore } from './nodes/redis-lease.store.js';
import { RedisPresenceRepository } from './presence/redis-presence.repository.js';
import { RedisReceiptRepository } from './receipts/redis-receipt.repository.js';
import { RedisSessionRepository } from './sessions/redis-session.repository.js';
import { RedisConsoleStore } from './console/redis-console.store.js';
import { RedisJobStore } from './jobs/redis-job.store.js';
import { RedisSettings } from './redis.options.js';

const missing = 'RedisModule needs PresenceModule: add PresenceModule.forRoot() to the imports beside it';

const once = importedOnce('RedisModule', 'forRoot({ url })');

const connection: FactoryProvider<RedisConnection> = {
  provide: RedisConnection,
  inject: [RedisSettings, once.provide],
  useFactory: (settings: RedisSettings) => RedisConnection.open(settings),
};

const defaults: ReadonlyMap<Port<unknown>, Type> = new Map<Port<unknown>, Type>([
  [PresenceRepository, RedisPresenceRepository],
  [ChannelRepository, RedisChannelRepository],
  [SessionRepository, RedisSessionRepository],
  [ReceiptRepository, RedisReceiptRepository],
  [Broker, RedisBroker],
  [IdempotencyKeys, RedisIdempotencyKeys],
  [RequestRates, RedisRequestRates],
  [ConsoleStore, RedisConsoleStore],
]);

const aliases = [...defaults].map(([port, implementation]) => supply(port, implementation));

const ports = [...defaults.values(), RedisJobStore, ...aliases];

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
