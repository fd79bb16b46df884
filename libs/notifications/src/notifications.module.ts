import {
  ConfigurableModuleBuilder,
  type DynamicModule,
  Logger,
  Module,
  type NestModule,
  type OnModuleInit,
} from '@nestjs/common';
import {
  AppRepository,
  Apps,
  ChannelsSettings,
  HandledEvents,
  RepeatedTriggers,
  SignedRequestGuard,
  SignedRequests,
  textRefusal,
} from 'rookery/channels';
import {
  bind,
  bootLine,
  borrow,
  checkAsyncOptions,
  counted,
  type Implementation,
  importedOnce,
  RouteRegistrar,
  settingsOf,
} from 'rookery/common';
import { PublishService } from 'rookery/publish';
import { InstanceRepository } from 'rookery/push-device';
import { notificationsDescription } from './http/notifications-api.description.js';
import { NotificationsController } from './http/notifications.controller.js';
import { ReadLinkController } from './http/read-link.controller.js';
import { NotificationsMetrics } from './metrics.js';
import { UnreadNotifier } from './unread-notifier.js';
import { NotificationRetention } from './notification-retention.js';
import { NotificationWorker } from './notification.worker.js';
import { notificationsOptions, type NotificationsOptions, NotificationsSettings } from './notifications.options.js';
import { NotificationsService } from './notifications.service.js';
import { NotifyingApps } from './notifying-apps.js';
import { ReadLinks } from './read-links.js';
import { MemoryNotificationRepository } from './store/memory-notification.repository.js';
import { NotificationRepository } from './store/notification.repository.js';

/** Passed alongside the options to `forRoot` and `forRootAsync`: the port, and its dependencies. */
export interface NotificationsPorts {
  /** @default in memory: lost when the process stops */
  readonly notificationRepository?: Implementation<NotificationRepository>;
  /** Modules whose providers the port injects. */
  readonly imports?: DynamicModule['imports'];
}

const ports: NotificationsPorts = { notificationRepository: undefined, imports: undefined };

const place = { module: 'NotificationsModule', ports: Object.keys(ports) };

const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<NotificationsOptions>({ optionsInjectionToken: notificationsOptions })
    .setClassMethodName('forRoot')
    .setExtras(ports, (module, { notificationRepository, imports = [] }) => ({
      ...module,
      global: true,
      imports: [...(module.imports ?? []), ...imports],
      providers: [
        ...(module.providers ?? []),
        bind(NotificationRepository, notificationRepository, MemoryNotificationRepository),
      ],
    }))
    .build();

const channelsMissing =
  'NotificationsModule needs ChannelsModule: add ChannelsModule.forRoot({ apps }) to the imports beside it';
const pushMissing =
  'NotificationsModule needs PushDeviceModule and PublishModule: add ' +
  'PushDeviceModule.forRoot({ instances: [{ id, secretKey }] }) and PublishModule.forRoot() to the imports beside it';

const controllers = [ReadLinkController, NotificationsController];

/** The paths of the read links, which pages of any origin call, and the signed ones. */
const linkPath = /\/apps\/[^/]+\/notifications\/read$/;
const signedPaths = /\/apps\/[^/]+\/notifications(?!\/read$)(\/|$)/;

/** Notifies each user once: on an open page, otherwise by push. Needs the modules of both columns. */
@Module({
  providers: [
    importedOnce('NotificationsModule', 'forRoot({ apps: [one, another] })'),
    borrow(Apps, channelsMissing),
    borrow(AppRepository, channelsMissing),
    borrow(ChannelsSettings, channelsMissing),
    borrow(SignedRequests, channelsMissing),
    borrow(HandledEvents, channelsMissing),
    borrow(RepeatedTriggers, channelsMissing),
    borrow(InstanceRepository, pushMissing),
    borrow(PublishService, pushMissing),
    SignedRequestGuard,
    RouteRegistrar.of(
      { module: 'NotificationsModule', controllers, refuse: textRefusal, description: notificationsDescription },
      NotificationsSettings,
    ),
    ...controllers,
    {
      provide: NotificationsSettings,
      useFactory: (options: NotificationsOptions) => settingsOf(NotificationsSettings, options, place),
      inject: [notificationsOptions],
    },
    NotifyingApps,
    ReadLinks,
    NotificationsMetrics,
    UnreadNotifier,
    NotificationWorker,
    NotificationRetention,
    NotificationsService,
  ],
  exports: [NotificationsService, NotificationsMetrics],
})
export class NotificationsModule extends ConfigurableModuleClass implements NestModule, OnModuleInit {
  private readonly logger = new Logger(NotificationsModule.name);

  constructor(
    private readonly routes: RouteRegistrar,
    private readonly repository: NotificationRepository,
    private readonly channels: ChannelsSettings,
    private readonly settings: NotificationsSettings,
  ) {
    super();
  }

  /** Uses every default unless an option is given. */
  static override forRoot(options: typeof OPTIONS_TYPE = {}): DynamicModule {
    return super.forRoot(options);
  }

  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    checkAsyncOptions(options, place);
    return super.forRootAsync(options);
  }

  configure(): void {
    const bodyLimit = this.channels.limits.requestBytes;
    this.routes.readBodies({ prefix: '/apps', only: linkPath, bodyLimit, cors: true });
    this.routes.readBodies({ prefix: '/apps', only: signedPaths, bodyLimit });
  }

  onModuleInit(): void {
    const { routes, repository, settings } = this;
    const paths = [`${routes.base}/apps/<id>/notifications`];
    const whom = counted(settings.apps.length, 'app');
    this.logger.log(
      bootLine({ paths: routes.areServed ? paths : [], whom, ports: { NotificationRepository: repository } }),
    );
    if (repository instanceof MemoryNotificationRepository) this.warnOfMemory();
  }

  private warnOfMemory(): void {
    if (process.env['NODE_ENV'] === 'production' && !this.settings.allowMemoryInProduction)
      throw new Error(
        'NotificationsModule keeps notifications in memory and NODE_ENV is production. Name a store, such as ' +
          'forRoot({ notificationRepository: TypeOrmNotificationRepository }), or set allowMemoryInProduction: true',
      );
    this.logger.warn('Notifications are kept in memory: what is not pushed yet is lost on restart');
  }
}
