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
import { MemorySessionRepository } from './storage/memory-session.repository.js';
import { SessionRepository } from './storage/session.repository.js';
import { webhookSender } from './webhook-sender.provider.js';
import { exported, services } from './channels.providers.js';

/** What you may pass to `forRoot` and `forRootAsync` besides the options. */
export interface ChannelsExtras {
  /** The source of apps. @default the `apps` of the options */
  readonly appRepository?: Implementation<AppRepository>;
  /** The shared state of channels. @default RedisModule's, or in memory, for one process */
  readonly channelRepository?: Implementation<ChannelRepository>;
  /** The shared state of returning clients. @default RedisModule's, or in memory, for one process */
  readonly sessionRepository?: Implementation<SessionRepository>;
  /** Carries messages between processes. @default RedisModule's, or in memory, for one process */
  readonly broker?: Implementation<Broker>;
  /** The answers to requests with an `Idempotency-Key`. @default RedisModule's, or in memory, for one process */
  readonly idempotencyKeys?: Implementation<IdempotencyKeys>;
  /** Rate limits that all processes share. @default RedisModule's, or in memory, for one process */
  readonly requestRates?: Implementation<RequestRates>;
  /** Keeps webhooks until they are delivered. @default in memory: lost when the process stops */
  readonly webhookOutbox?: Implementation<JobStore>;
  /** Keeps events that are triggered `within` transactions. @default none: `within` is refused */
  readonly triggerOutbox?: Implementation<TriggerOutbox>;
  /** Guards, interceptors, pipes and filters for subscribe, signin and client events. @default none */
  readonly sockets?: SocketEnhancerTypes;
  /** Modules that export what these need. */
  readonly imports?: DynamicModule['imports'];
}

// Lists every key, so that none of them ends up in the options.
const extras: ChannelsExtras = {
  appRepository: undefined,
  channelRepository: undefined,
  sessionRepository: undefined,
  broker: undefined,
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
