import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  type FactoryProvider,
  Logger,
  Module,
  type OnModuleInit,
} from '@nestjs/common';
import { Broker, ChannelRepository, IdempotencyKeys, SessionRepository } from 'rookery/channels';
import {
  borrow,
  checkAsyncOptions,
  importedOnce,
  lend,
  RequestRates,
  settingsOf,
  SignIns,
  ThisNode,
} from 'rookery/common';
import { PresenceRepository } from 'rookery/presence';
import { RedisBroker } from './broker/redis.broker.js';
import { RedisChannelRepository } from './channels/redis-channel.repository.js';
import { shownUrl } from './redis-url.js';
import { RedisConnection } from './connection/redis.connection.js';
import { RedisIdempotencyKeys } from './idempotency/redis-idempotency.keys.js';
import { RedisRequestRates } from './limits/redis-request.rates.js';
import { RedisMetrics } from './metrics.js';
import { NodeLease } from './nodes/node-lease.js';
import { RedisPresenceRepository } from './presence/redis-presence.repository.js';
import { RedisSessionRepository } from './sessions/redis-session.repository.js';
import { RedisSignIns } from './sign-ins/redis-sign-ins.js';
import { RedisJobStore } from './jobs/redis-job.store.js';
import { type RedisModuleOptions, redisModuleOptions, RedisSettings } from './redis.options.js';

const place = { module: 'RedisModule' };

const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } = new ConfigurableModuleBuilder<RedisModuleOptions>(
  { optionsInjectionToken: redisModuleOptions },
)
  .setClassMethodName('forRoot')
  .setExtras({}, (module) => ({ ...module, global: true }))
  .build();

const once = importedOnce('RedisModule', 'forRoot({ url })');

const connection: FactoryProvider<RedisConnection> = {
  provide: RedisConnection,
  inject: [redisModuleOptions, once.provide],
  useFactory: (options: RedisModuleOptions) => RedisConnection.open(settingsOf(RedisSettings, options, place)),
};

/** The implementations that other modules use by default. */
const lent = [
  lend(PresenceRepository, RedisPresenceRepository),
  lend(ChannelRepository, RedisChannelRepository),
  lend(SessionRepository, RedisSessionRepository),
  lend(Broker, RedisBroker),
  lend(IdempotencyKeys, RedisIdempotencyKeys),
  lend(RequestRates, RedisRequestRates),
  lend(SignIns, RedisSignIns),
];

const ports = [
  RedisPresenceRepository,
  RedisChannelRepository,
  RedisSessionRepository,
  RedisBroker,
  RedisIdempotencyKeys,
  RedisRequestRates,
  RedisSignIns,
  RedisJobStore,
];

/**
 * The state that processes share, in Redis. Importing it is enough: the other modules use it wherever you name no other
 * implementation. To keep webhooks here too, use `webhookOutbox: { useExisting: RedisJobStore }`.
 */
@Module({
  providers: [
    once,
    connection,
    borrow(ThisNode, 'RedisModule needs PresenceModule: add PresenceModule.forRoot() to the imports beside it'),
    ...ports,
    ...lent,
    NodeLease,
    RedisMetrics,
  ],
  exports: [RedisConnection, NodeLease, RedisMetrics, ...ports, ...lent],
})
export class RedisModule extends ConfigurableModuleClass implements OnModuleInit {
  private readonly logger = new Logger(RedisModule.name);

  constructor(private readonly redis: RedisConnection) {
    super();
  }

  static override forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    return super.forRoot(options);
  }

  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    checkAsyncOptions(options, place);
    return super.forRootAsync(options);
  }

  onModuleInit(): void {
    this.logger.log(`${shownUrl(this.redis.settings.url)}, keys begin with ${this.redis.settings.keyPrefix}`);
  }
}
