import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Logger,
  Module,
  type NestModule,
  type OnModuleInit,
  type Provider,
} from '@nestjs/common';
import {
  bind,
  bootLine,
  borrow,
  checkAsyncOptions,
  counted,
  type Implementation,
  lentOr,
  MemoryWebhookOutbox,
  OwnRoutes,
  settingsOf,
  ThisNode,
  WebhookOutbox,
  WebhookSender,
} from 'rookery/common';
import { PresenceService } from 'rookery/presence';
import { Apps } from './access/apps.js';
import { AppRepository } from './access/app.repository.js';
import { ConfiguredAppRepository } from './access/configured-app.repository.js';
import { Broker } from './broker/broker.js';
import { InProcessBroker } from './broker/in-process.broker.js';
import { type ChannelsOptions, channelsOptions, ChannelsSettings } from './channels.options.js';
import { ChannelsService } from './events/channels.service.js';
import { EventsService } from './events/events.service.js';
import { RepeatedTriggers } from './events/repeated-triggers.js';
import { TriggerRates } from './events/trigger-rates.js';
import { channelsApiPaths, channelsApiPrefix } from './http/channels-api.js';
import { ChannelsController } from './http/channels.controller.js';
import { EventsController } from './http/events.controller.js';
import { DirectTriggers } from './http/direct/direct-triggers.js';
import { textRefusal } from './http/text-refusal.js';
import { UsersController } from './http/users.controller.js';
import { SignedRequestGuard } from './access/signed-request.guard.js';
import { SignedRequests } from './access/signed-request.js';
import { Hub } from './hub/hub.js';
import { ChannelsMetrics } from './metrics.js';
import { SocketServer } from './sockets/socket-server.js';
import { ChannelsGateway } from './sockets/channels.gateway.js';
import { ClientEvents } from './events/client-events.js';
import { MessageLoop } from './sockets/message-loop.js';
import { SocketEnhancers, type SocketEnhancerTypes, socketEnhancerTypes } from './sockets/socket-enhancers.js';
import { ChannelRepository } from './storage/channel.repository.js';
import { MemoryChannelRepository } from './storage/memory-channel.repository.js';
import { NodesService } from './nodes/nodes.service.js';
import { TransitionOrder } from './storage/transition-order.js';
import { ChannelNews } from './subscriptions/channel-news.js';
import { MissedChanges } from './subscriptions/missed-changes.js';
import { LocalOccupancy } from './subscriptions/local-occupancy.js';
import { SubscriptionCounts } from './subscriptions/subscription-counts.js';
import { SubscriptionsService } from './subscriptions/subscriptions.service.js';
import { UsersService } from './users/users.service.js';
import { Watchlists } from './users/watchlists.js';
import { WebhooksService } from './webhooks/webhooks.service.js';

/** What a host may name in `forRoot` and `forRootAsync` beside the options. */
export interface ChannelsExtras {
  /** Where apps come from. @default the `apps` of the options */
  readonly appRepository?: Implementation<AppRepository>;
  /** What processes share about channels. @default RedisModule's, or in memory, for one process */
  readonly channelRepository?: Implementation<ChannelRepository>;
  /** What carries messages between processes. @default RedisModule's, or in this process */
  readonly broker?: Implementation<Broker>;
  /** What keeps webhooks until they are delivered. @default in memory: lost when the process stops */
  readonly webhookOutbox?: Implementation<WebhookOutbox>;
  /** Guards, interceptors, pipes and filters for subscribe, signin and client events. @default none */
  readonly sockets?: SocketEnhancerTypes;
  /** Modules whose exports these need. */
  readonly imports?: DynamicModule['imports'];
}

// All keys stand here, so that none of them reaches the options.
const extras: ChannelsExtras = {
  appRepository: undefined,
  channelRepository: undefined,
  broker: undefined,
  webhookOutbox: undefined,
  sockets: undefined,
  imports: undefined,
};

const exported = [
  AppRepository,
  ChannelRepository,
  Broker,
  EventsService,
  ChannelsService,
  UsersService,
  NodesService,
  ChannelsMetrics,
  ChannelsSettings,
  // What SignedRequestGuard needs on a host's own routes.
  SignedRequests,
  SignedRequestGuard,
];

const place = { module: 'ChannelsModule', ports: Object.keys(extras) };

const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } = new ConfigurableModuleBuilder<ChannelsOptions>({
  optionsInjectionToken: channelsOptions,
})
  .setClassMethodName('forRoot')
  .setExtras<ChannelsExtras>(
    extras,
    (module, { appRepository, channelRepository, broker, webhookOutbox, sockets = {}, imports = [] }) => ({
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
        bind(Broker, broker, lentOr(Broker, InProcessBroker)),
        bind(WebhookOutbox, webhookOutbox, MemoryWebhookOutbox),
        {
          provide: WebhookSender,
          inject: [WebhookOutbox, ChannelsSettings],
          useFactory: (outbox: WebhookOutbox, { webhookSender }: ChannelsSettings) =>
            new WebhookSender(outbox, webhookSender),
        },
        { provide: socketEnhancerTypes, useValue: sockets },
        ...enhancerProviders(sockets),
        ...services,
      ],
      exports: exported,
    }),
  )
  .build();

const controllers = [EventsController, ChannelsController, UsersController];

const missing = 'ChannelsModule needs PresenceModule: add PresenceModule.forRoot() to the imports beside it';

const services: Provider[] = [
  borrow(PresenceService, missing),
  borrow(ThisNode, missing),
  OwnRoutes.of({ controllers, refuse: textRefusal }, ChannelsSettings),
  ...controllers,
  Apps,
  SignedRequests,
  SignedRequestGuard,
  DirectTriggers,
  Hub,
  TriggerRates,
  RepeatedTriggers,
  EventsService,
  ChannelsService,
  SubscriptionsService,
  SubscriptionCounts,
  LocalOccupancy,
  TransitionOrder,
  ChannelNews,
  MissedChanges,
  NodesService,
  UsersService,
  Watchlists,
  WebhooksService,
  ClientEvents,
  // A factory: Nest's own socket module takes up gateways that are provided as classes, and it would serve this one
  // through the application's adapter.
  {
    provide: ChannelsGateway,
    inject: [
      SubscriptionsService,
      UsersService,
      ClientEvents,
      ChannelRepository,
      TransitionOrder,
      ThisNode,
      ChannelsSettings,
    ],
    useFactory: (...args: ConstructorParameters<typeof ChannelsGateway>) => new ChannelsGateway(...args),
  },
  SocketEnhancers,
  MessageLoop,
  ChannelsMetrics,
  SocketServer,
];

function enhancerProviders({ guards = [], interceptors = [], pipes = [], filters = [] }: SocketEnhancerTypes) {
  return [...new Set<Provider>([...guards, ...interceptors, ...pipes, ...filters])];
}

/** The realtime service: its HTTP API, its sockets and its webhooks. Needs PresenceModule beside it. */
@Module({
  providers: services,
  exports: exported,
})
export class ChannelsModule extends ConfigurableModuleClass implements NestModule, OnModuleInit {
  private readonly logger = new Logger(ChannelsModule.name);

  constructor(
    private readonly apps: AppRepository,
    private readonly channels: ChannelRepository,
    private readonly broker: Broker,
    private readonly webhooks: WebhookOutbox,
    private readonly routes: OwnRoutes,
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
    const { apps, channels, broker, webhooks, routes, settings } = this;
    const ports = { AppRepository: apps, ChannelRepository: channels, Broker: broker, WebhookOutbox: webhooks };
    const whom = apps instanceof ConfiguredAppRepository ? counted(apps.count, 'app') : undefined;
    const paths = [`${settings.path}/app/<key>`, `${routes.base}${channelsApiPrefix}/<id>`];
    this.logger.log(bootLine({ paths: routes.areServed ? paths : [], whom, ports }));
  }
}
