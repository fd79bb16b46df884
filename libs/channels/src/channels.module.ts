import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Logger,
  Module,
  type NestModule,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import {
  bind,
  bootLine,
  checkAsyncOptions,
  counted,
  type Implementation,
  lentOr,
  MemoryRequestRates,
  RouteRegistrar,
  RequestRates,
  settingsOf,
} from 'rookery/common';
import { JobStore, MemoryJobStore } from 'rookery/jobs';
import { AppRepository } from './access/app.repository.js';
import { Apps } from './access/apps.js';
import { ConfiguredAppRepository } from './access/configured-app.repository.js';
import { Broker } from './broker/broker.js';
import { InProcessBroker } from './broker/in-process.broker.js';
import { SocketAuthorizer, TokensOnly } from './connections/socket-authorizer.js';
import { type ChannelsOptions, channelsOptions, ChannelsSettings } from './channels.options.js';
import { channelsApiPaths, channelsApiPrefix } from './http/channels-api.js';
import { type SocketEnhancerTypes, socketEnhancerTypes } from './sockets/socket-enhancers.js';
import { ChannelRepository } from './storage/channel.repository.js';
import { IdempotencyKeys } from './storage/idempotency.keys.js';
import { MemoryChannelRepository } from './storage/memory-channel.repository.js';
import { MemoryIdempotencyKeys } from './storage/memory-idempotency.keys.js';
import { NoTriggerOutbox, TriggerOutbox } from './storage/trigger.outbox.js';
import { MemoryTriggerRate } from './storage/memory-trigger.rate.js';
import { TriggerRate } from './storage/trigger.rate.js';
import { MemorySessionRepository } from './storage/memory-session.repository.js';
import { SessionRepository } from './storage/session.repository.js';
import { webhookSender } from './webhook-sender.provider.js';
import { exported, services } from './channels.providers.js';

/** What a host may name in `forRoot` and `forRootAsync` beside the options. */
export interface ChannelsExtras {
  /** Where apps come from. @default the `apps` of the options */
  readonly appRepository?: Implementation<AppRepository>;
  /** What processes share about channels. @default RedisModule's, or in memory, for one process */
  readonly channelRepository?: Implementation<ChannelRepository>;
  /** What processes share about clients that come back. @default RedisModule's, or in memory, for one process */
  readonly sessionRepository?: Implementation<SessionRepository>;
  /** What carries messages between processes. @default RedisModule's, or in this process */
  readonly broker?: Implementation<Broker>;
  /** How often apps may trigger. @default RedisModule's, or in memory, for one process */
  readonly triggerRate?: Implementation<TriggerRate>;
  /** What repeated triggers were answered. @default RedisModule's, or in memory, for one process */
  readonly idempotencyKeys?: Implementation<IdempotencyKeys>;
  /** What all processes tell together once in a while at most. @default RedisModule's, or in memory, for one process */
  readonly requestRates?: Implementation<RequestRates>;
  /** What keeps webhooks until they are delivered. @default in memory: lost when the process stops */
  readonly webhookOutbox?: Implementation<JobStore>;
  /** What keeps events that are triggered `within` transactions. @default none: they cannot be */
  readonly triggerOutbox?: Implementation<TriggerOutbox>;
  /** Guards, interceptors, pipes and filters for subscribe, signin and client events. @default none */
  readonly sockets?: SocketEnhancerTypes;
  /** Modules whose exports these need. */
  readonly imports?: DynamicModule['imports'];
}

// All keys stand here, so that none of them reaches the options.
const extras: ChannelsExtras = {
  appRepository: undefined,
  channelRepository: undefined,
  sessionRepository: undefined,
  broker: undefined,
  triggerRate: undefined,
  idempotencyKeys: undefined,
  requestRates: undefined,
  webhookOutbox: undefined,
  triggerOutbox: undefined,
  sockets: undefined,
  imports: undefined,
};

const place = { module: 'ChannelsModule', ports: Object.keys(extras) };

const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } = new ConfigurableModuleBuilder<ChannelsOptions>({
  optionsInjectionToken: channelsOptions,
})
  .setClassMethodName('forRoot')
  .setExtras<ChannelsExtras>(
    extras,
    (
      module,
      {
        appRepository,
        channelRepository,
        sessionRepository,
        broker,
        triggerRate,
        idempotencyKeys,
        requestRates,
        webhookOutbox,
        triggerOutbox,
        sockets = {},
        imports = [],
      },
    ) => ({
      ...module,
      global: true,
      imports: [...(module.imports ?? []), ...imports],
      providers: [
        ...(module.providers ?? []),
        {
          provide: ChannelsSettings,
          inject: [channelsOptions],
          useFactory: (options: ChannelsOptions) => settingsOf(ChannelsSettings, options, place),
        },
        bind(AppRepository, appRepository, ConfiguredAppRepository),
        bind(ChannelRepository, channelRepository, lentOr(ChannelRepository, MemoryChannelRepository)),
        bind(SessionRepository, sessionRepository, lentOr(SessionRepository, MemorySessionRepository)),
        bind(Broker, broker, lentOr(Broker, InProcessBroker)),
        bind(TriggerRate, triggerRate, lentOr(TriggerRate, MemoryTriggerRate)),
        bind(IdempotencyKeys, idempotencyKeys, lentOr(IdempotencyKeys, MemoryIdempotencyKeys)),
        bind(RequestRates, requestRates, lentOr(RequestRates, MemoryRequestRates)),
        { provide: SocketAuthorizer, ...lentOr(SocketAuthorizer, TokensOnly) } as Provider,
        bind(JobStore, webhookOutbox, MemoryJobStore),
        bind(TriggerOutbox, triggerOutbox, NoTriggerOutbox),
        webhookSender,
        { provide: socketEnhancerTypes, useValue: sockets },
        ...enhancerProviders(sockets),
        ...services,
      ],
      exports: exported,
    }),
  )
  .build();

function enhancerProviders({ guards = [], interceptors = [], pipes = [], filters = [] }: SocketEnhancerTypes) {
  return [...new Set<Provider>([...guards, ...interceptors, ...pipes, ...filters])];
}

/** The realtime service: its HTTP API, its sockets and its webhooks. Needs PresenceModule beside it. */
@Module({
  imports: [DiscoveryModule],
  providers: services,
  exports: exported,
})
export class ChannelsModule extends ConfigurableModuleClass implements NestModule, OnModuleInit {
  private readonly logger = new Logger(ChannelsModule.name);

  constructor(
    private readonly apps: AppRepository,
    private readonly served: Apps,
    private readonly channels: ChannelRepository,
    private readonly broker: Broker,
    private readonly webhooks: JobStore,
    private readonly routes: RouteRegistrar,
    private readonly settings: ChannelsSettings,
  ) {
    super();
  }

  static override forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    return super.forRoot(options);
  }

  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    checkAsyncOptions(options, place);
    return super.forRootAsync(options);
  }

  configure(): void {
    const bodyLimit = this.settings.limits.requestBytes;
    this.routes.readBodies({ prefix: channelsApiPrefix, only: channelsApiPaths, bodyLimit });
  }

  onModuleInit(): void {
    const { apps, served, channels, broker, webhooks, routes, settings } = this;
    const ports = { AppRepository: apps, ChannelRepository: channels, Broker: broker, JobStore: webhooks };
    const whom = served.configured && counted(served.configured.count, 'app');
    const paths = [`${settings.path}/app/<key>`, `${routes.base}${channelsApiPrefix}/<id>`];
    this.logger.log(bootLine({ paths: routes.areServed ? paths : [], whom, ports }));
  }
}
