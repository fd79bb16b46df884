import { Logger, Module, type NestModule, type OnModuleInit } from '@nestjs/common';
import {
  AppRepository,
  Apps,
  Broker,
  ChannelsSettings,
  describedChannels,
  HandledEvents,
  RepeatedTriggers,
  SignedRequestGuard,
  SignedRequests,
  textRefusal,
} from 'rookery/internal/channels';
import {
  byForRoot,
  tokensOf,
  configurable,
  importedOnce,
  type InMemory,
  replaceable,
  type Replacements,
  required,
  warnOfMemory,
} from '#common';
import { bootLine, counted, describedApi, PathPrefixes, RouteRegistrar } from '#http';
import { PublishService } from 'rookery/publish';
import { DefaultInstance, InstanceRepository } from 'rookery/internal/push-device';
import { NotificationsController } from './http/notifications.controller.js';
import { ReadLinkController } from './http/read-link.controller.js';
import { NotificationsMetrics } from './metrics.js';
import { ShownNotifications } from './shown-notifications.js';
import { UnreadNotifier } from './unread-notifier.js';
import { NotificationSender } from './notification-sender.js';
import { NotificationRetention } from './notification-retention.js';
import { NotificationWorker } from './notification.worker.js';
import { NotificationsSettings } from './notifications.options.js';
import { NotificationsService } from './notifications.service.js';
import { NotifyingApps } from './notifying-apps.js';
import { ReadLinks } from './read-links.js';
import { MemoryNotificationRepository } from './store/memory-notification.repository.js';
import { NotificationRepository } from './store/notification.repository.js';

const ports = {
  /** @default in memory: lost when the process stops */
  notificationRepository: replaceable(NotificationRepository, MemoryNotificationRepository),
};

/** Passed alongside the options to `forRoot` and `forRootAsync`: the port, and the modules that it injects from. */
export type NotificationsPorts = Replacements<typeof ports>;

const channelsMissing =
  'NotificationsModule needs ChannelsModule: add ChannelsModule.forRoot({ apps }) to the imports beside it';
const devicesMissing =
  'NotificationsModule needs PushDeviceModule: add PushDeviceModule.forRoot({ instances: [{ id, secretKey }] }) to the ' +
  'imports beside it';
const publishMissing = 'NotificationsModule needs PublishModule: add PublishModule.forRoot() to the imports beside it';

const inMemory: InMemory = {
  module: 'NotificationsModule',
  keeps: 'notifications',
  call: 'forRoot({ notificationRepository: TypeOrmNotificationRepository })',
  loss: 'what is not pushed yet is lost on restart',
};

const controllers = [ReadLinkController, NotificationsController];

/** Their part of the OpenAPI document: api § Notifications. */
export const notificationsDescription = () =>
  describedApi({ tag: 'Notifications', securitySchemes: describedChannels.signature }, controllers);

/** The paths of the read links, which pages of any origin call, and the signed ones. */
const linkPath = /\/apps\/[^/]+\/notifications\/read$/;
/** A read link needs no body, but pages may send one. */
const linkBytes = 10 * 1024;
const signedPaths = /\/apps\/[^/]+\/notifications(?!\/read$)(\/|$)/;

/** Notifies each user once: on an open page, otherwise by push. Needs the modules of both columns. */
@Module({
  providers: [
    importedOnce('NotificationsModule', 'forRoot({ apps: [one, another] })'),
    ...byForRoot('NotificationsModule.forRoot({ apps })', [NotificationsSettings, ...tokensOf(ports)]),
    ...required(
      {
        missing: channelsMissing,
        services: [Apps, AppRepository, Broker, ChannelsSettings, SignedRequests, HandledEvents, RepeatedTriggers],
      },
      { missing: devicesMissing, services: [InstanceRepository, DefaultInstance] },
      { missing: publishMissing, services: [PublishService] },
    ),
    SignedRequestGuard,
    PathPrefixes.of(NotificationsSettings, ChannelsSettings),
    RouteRegistrar.of(
      { module: 'NotificationsModule', controllers, refuse: textRefusal, describe: notificationsDescription },
      NotificationsSettings,
    ),
    ...controllers,
    NotifyingApps,
    ReadLinks,
    NotificationsMetrics,
    UnreadNotifier,
    ShownNotifications,
    NotificationWorker,
    NotificationRetention,
    NotificationSender,
    NotificationsService,
  ],
  exports: [NotificationsService, NotificationsMetrics],
})
export class NotificationsModule
  extends configurable({ name: 'NotificationsModule', settings: NotificationsSettings, ports })
  implements NestModule, OnModuleInit
{
  private readonly logger = new Logger(NotificationsModule.name);

  constructor(
    private readonly routes: RouteRegistrar,
    private readonly repository: NotificationRepository,
    private readonly requests: SignedRequests,
    private readonly channels: ChannelsSettings,
    private readonly settings: NotificationsSettings,
  ) {
    super();
  }

  configure(): void {
    const bodyLimit = this.channels.limits.requestBytes;
    const checkHead = (...head: readonly [string, string]) => this.requests.checkHead(...head);
    this.routes.readBodies({ prefix: '/apps', only: linkPath, bodyLimit: linkBytes, cors: true });
    this.routes.readBodies({ prefix: '/apps', only: signedPaths, bodyLimit, checkHead });
  }

  onModuleInit(): void {
    const { routes, repository, settings } = this;
    const paths = routes.prefixes.all.map((prefix) => `${prefix}/apps/<id>/notifications`);
    const whom = counted(settings.apps.length, 'app');
    this.logger.log(
      bootLine({ paths: routes.areServed ? paths : [], whom, ports: { NotificationRepository: repository } }),
    );
    if (repository instanceof MemoryNotificationRepository) warnOfMemory(inMemory, this.settings, this.logger);
  }
}
