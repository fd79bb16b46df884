import { Logger, Module, type NestModule, type OnModuleInit, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import {
  byForRoot,
  tokensOf,
  configurable,
  MemoryRequestRates,
  replaceable,
  type Replacements,
  RequestRates,
  shared,
} from '#common';
import { bootLine, counted, RouteRegistrar } from '#http';
import { JobStore, MemoryJobStore } from 'rookery/jobs';
import { AppRepository } from './access/app.repository.js';
import { Apps } from './access/apps.js';
import { SignedRequests } from './access/signed-request.js';
import { ConfiguredAppRepository } from './access/configured-app.repository.js';
import { Broker } from './broker/broker.js';
import { InProcessBroker } from './broker/in-process.broker.js';
import { lacksSharedBroker, severalBy } from './broker/one-of-several.js';
import { ChannelsSettings } from './channels.options.js';
import { EventSender } from './events/event-sender.js';
import { channelsApiPaths, channelsApiPrefix } from './access/channels-api.js';
import { type SocketEnhancerTypes, socketEnhancerTypes } from './sockets/socket-enhancers.js';
import { AnnouncementRepository, NoAnnouncements } from './webhooks/announcement.repository.js';
import { ChannelRepository } from './storage/channel.repository.js';
import { IdempotencyKeys } from './storage/idempotency.keys.js';
import { MemoryChannelRepository } from './storage/memory-channel.repository.js';
import { MemoryIdempotencyKeys } from './storage/memory-idempotency.keys.js';
import { NoTriggerOutbox, TriggerOutbox } from './storage/trigger.outbox.js';
import { MemorySessionRepository } from './storage/memory-session.repository.js';
import { SessionRepository } from './storage/session.repository.js';
import { webhookSender } from './webhook-sender.provider.js';
import { exported, services } from './channels.providers.js';
import { folded, wingPorts } from './wings/wings.js';

const ports = {
  /** The source of apps. @default the `apps` of the options */
  appRepository: replaceable(AppRepository, ConfiguredAppRepository),
  /** The shared state of channels. @default RedisModule's, or in memory, for one process */
  channelRepository: shared(ChannelRepository, MemoryChannelRepository),
  /** The shared state of returning clients. @default RedisModule's, or in memory, for one process */
  sessionRepository: shared(SessionRepository, MemorySessionRepository),
  ...wingPorts,
  /** Carries messages between processes. @default RedisModule's, or in memory, for one process */
  broker: shared(Broker, InProcessBroker),
  /** The answers to requests with an `Idempotency-Key`. @default RedisModule's, or in memory, for one process */
  idempotencyKeys: shared(IdempotencyKeys, MemoryIdempotencyKeys),
  /** Rate limits that all processes share. @default RedisModule's, or in memory, for one process */
  requestRates: shared(RequestRates, MemoryRequestRates),
  /** Keeps webhooks until they are delivered. @default in memory: lost when the process stops */
  webhookOutbox: replaceable(JobStore, MemoryJobStore),
  /**
   * Keeps what webhooks have reported to be there, so that it is reported gone after the process was killed. @default
   * none: it is not
   */
  announcementRepository: replaceable(AnnouncementRepository, NoAnnouncements),
  /** Keeps events that are triggered `within` transactions. @default none: `within` is refused */
  triggerOutbox: replaceable(TriggerOutbox, NoTriggerOutbox),
};

const servesNobody = (broker: string): string =>
  `An event was triggered in a process without clients, and ${broker} carries it to no other: nobody gets it. Trigger ` +
  'over the HTTP API of the process that serves clients, or import RedisModule in both';

interface Sockets {
  /** Guards, interceptors, pipes and filters for subscribe, signin and client events. @default none */
  readonly sockets?: SocketEnhancerTypes;
}

/** What you may pass to `forRoot` and `forRootAsync` besides the options. */
export type ChannelsExtras = Replacements<typeof ports> & Sockets;

const socketProviders = ({ sockets }: Required<Sockets>): readonly Provider[] => {
  const { guards = [], interceptors = [], pipes = [], filters = [] } = sockets;
  return [
    { provide: socketEnhancerTypes, useValue: sockets },
    ...new Set<Provider>([...guards, ...interceptors, ...pipes, ...filters]),
  ];
};

const Configurable = configurable<ChannelsSettings, typeof ports, Sockets>({
  name: 'ChannelsModule',
  settings: ChannelsSettings,
  ports,
  extras: { sockets: {} },
  providersOf: socketProviders,
});

/** The realtime service: its HTTP API, its sockets and its webhooks. Needs PresenceModule beside it. */
@Module({
  imports: [DiscoveryModule],
  providers: [
    ...byForRoot('ChannelsModule.forRoot({ apps })', [ChannelsSettings, socketEnhancerTypes, ...tokensOf(ports)]),
    ...services,
    webhookSender,
  ],
  exports: exported,
})
export class ChannelsModule extends Configurable implements NestModule, OnModuleInit {
  private readonly logger = new Logger(ChannelsModule.name);

  constructor(
    private readonly apps: AppRepository,
    private readonly served: Apps,
    private readonly channels: ChannelRepository,
    private readonly broker: Broker,
    private readonly sender: EventSender,
    private readonly webhooks: JobStore,
    private readonly routes: RouteRegistrar,
    private readonly requests: SignedRequests,
    private readonly settings: ChannelsSettings,
  ) {
    super();
  }

  configure(): void {
    const bodyLimit = this.settings.limits.requestBytes;
    const checkHead = (...head: readonly [string, string]) => this.requests.checkHead(...head);
    this.routes.readBodies({ prefix: channelsApiPrefix, only: channelsApiPaths(folded.paths), bodyLimit, checkHead });
  }

  onModuleInit(): void {
    const { apps, served, channels, broker, webhooks, routes, settings } = this;
    const ports = { AppRepository: apps, ChannelRepository: channels, Broker: broker, JobStore: webhooks };
    const whom = served.configured && counted(served.configured.count, 'app');
    const apis = routes.prefixes.all.map((prefix) => `${prefix}${channelsApiPrefix}/<id>`);
    const paths = [`${settings.path}/app/<key>`, ...apis];
    this.logger.log(bootLine({ paths: routes.areServed ? paths : [], whom, ports }));
    if (broker.isShared === false) this.checkIsAlone();
  }

  /** @throws Error in production, if other processes would not get this one's events; elsewhere, a warning is logged */
  private checkIsAlone(): void {
    const { broker, logger, routes, sender } = this;
    const by = severalBy(process.env);
    const reason = by && lacksSharedBroker(by, broker.constructor.name);
    if (reason && process.env['NODE_ENV'] === 'production') throw new Error(`ChannelsModule: ${reason}`);
    if (reason) logger.warn(`${reason}. With NODE_ENV=production, it does not start`);
    if (!routes.areServed) sender.beforeFirst(() => logger.warn(servesNobody(broker.constructor.name)));
  }
}
