import { type CanActivate, Logger, Module, type NestModule, type OnModuleInit, type Type } from '@nestjs/common';
import {
  Broker,
  ActivityTap,
  AppRepository,
  Apps,
  ChannelRepository,
  ChannelsDeadLetters,
  ChannelsMetrics,
  ChannelsSettings,
  EventsService,
  NodeRpc,
  OpenConnections,
  WebhookTestService,
} from 'rookery/internal/channels';
import {
  byForRoot,
  tokensOf,
  configurable,
  ConsoleStore,
  importedOnce,
  MemoryConsoleStore,
  MemoryRequestRates,
  type Replacements,
  RequestRates,
  required,
  shared,
  ThisNode,
} from 'rookery/internal/common';
import { bootLine, PathPrefixes, RouteRegistrar } from 'rookery/internal/http';
import { PresenceService } from 'rookery/presence';
import { ConsoleAccess, HostGuards } from './access/console-access.js';
import { ConsoleKey } from './access/console-key.js';
import { ConsoleGuard, ConsoleHeaders, PageGuard, SessionGuard } from './access/console.guard.js';
import { SessionController } from './access/session.controller.js';
import { SignInRate } from './access/sign-in-rate.js';
import { AdminController } from './admin/admin.controller.js';
import { consoleRefusal } from './console.errors.js';
import { checkAccess, ConsoleSettings } from './console.options.js';
import { AppInPath } from './channels/app-in-path.js';
import { ChannelList } from './channels/channel-list.js';
import { ConsoleChannelsController } from './channels/channels.controller.js';
import { ConsoleConnectionsController } from './channels/connections.controller.js';
import { KeyUsesController } from './channels/key-uses.controller.js';
import { ConsoleEventsController } from './channels/events.controller.js';
import { UserDevices } from './users/user-devices.js';
import { ConsoleUserPushesController } from './users/user-pushes.controller.js';
import { ConsoleUsersController } from './users/users.controller.js';
import { ChartsController } from './charts/charts.controller.js';
import { PushServices } from './push/push-services.js';
import { PushSamples } from './watch/push-samples.js';
import { Minutes } from './charts/minutes.js';
import { Samples } from './watch/samples.js';
import { LiveController } from './live/live.controller.js';
import { RecentController } from './live/recent.controller.js';
import { ConsoleNotificationsController } from './notifications/notifications.controller.js';
import { OwnFigures } from './watch/own-figures.js';
import { ProcessView } from './processes/process-view.js';
import { Processes } from './processes/processes.js';
import { OverviewController } from './nodes/overview.controller.js';
import { ConsoleDevicesController } from './push/devices.controller.js';
import { ConsolePublishesController } from './push/publishes.controller.js';
import { ChannelRates } from './watch/channel-rates.js';
import { OwnActivities } from './watch/own-activities.js';
import { PastActivities } from './live/past-activities.js';
import { Trace } from './watch/trace.js';
import { TraceArchive } from './watch/trace-archive.js';
import { Timelines } from './watch/timelines.js';
import { TraceAnswers } from './watch/trace-answers.js';
import { ActivityRecorder } from './watch/activity-recorder.js';
import { ConsoleWebhooksController } from './webhooks/webhooks.controller.js';
import { EndpointHealths } from './watch/endpoint-health.js';
import { KeptHealths } from './watch/kept-healths.js';
import { WebhookAnswers } from './webhooks/webhook-answers.js';
import { ArchivedFacts } from './why/archived-facts.js';
import { DeliveryFactsSource } from './watch/delivery-facts.js';
import { WhyController } from './why/why.controller.js';
import { PagesController } from './pages/pages.controller.js';
import { UnknownPathController } from './unknown-path.controller.js';

const ports = {
  /** Counts wrong passwords. @default RedisModule's, or in memory, for one process */
  requestRates: shared(RequestRates, MemoryRequestRates),
  /** Stores the password sessions, a day of the charts, and how endpoints of webhooks answered last. @default RedisModule's, or in memory, for one process */
  consoleStore: shared(ConsoleStore, MemoryConsoleStore),
};

interface Guards {
  /** Guards of the host that control access, instead of a password. @default none */
  readonly guards?: readonly Type<CanActivate>[];
}

/** Passed alongside the options to `forRoot` and `forRootAsync`. */
export type ConsoleExtras = Replacements<typeof ports> & Guards;

const Configurable = configurable<ConsoleSettings, typeof ports, Guards>({
  name: 'ConsoleModule',
  settings: ConsoleSettings,
  ports,
  extras: { guards: [] },
  providersOf: ({ guards }) => [
    ...guards,
    { provide: HostGuards, inject: [...guards], useFactory: (...made: CanActivate[]) => new HostGuards(made) },
  ],
});

const missing = 'ConsoleModule needs ChannelsModule: add ChannelsModule.forRoot({ apps }) to the imports beside it';

// The catch-all route of the API comes last.
const controllers = [
  SessionController,
  AdminController,
  OverviewController,
  ChartsController,
  LiveController,
  RecentController,
  ConsoleConnectionsController,
  ConsoleChannelsController,
  ConsoleUserPushesController,
  ConsoleUsersController,
  KeyUsesController,
  ConsoleEventsController,
  WhyController,
  ConsoleWebhooksController,
  ConsoleDevicesController,
  ConsolePublishesController,
  ConsoleNotificationsController,
  UnknownPathController,
  PagesController,
];

/** The web console at `/console`, and its API at `/console/api`. */
@Module({
  providers: [
    importedOnce('ConsoleModule', 'forRoot({ password })'),
    ...byForRoot('ConsoleModule.forRoot({ password })', [ConsoleSettings, HostGuards, ...tokensOf(ports)]),
    ...required({
      missing,
      services: [
        Apps,
        AppRepository,
        Broker,
        ChannelRepository,
        ChannelsDeadLetters,
        ChannelsMetrics,
        ChannelsSettings,
        EventsService,
        NodeRpc,
        ActivityTap,
        OpenConnections,
        PresenceService,
        ThisNode,
        WebhookTestService,
      ],
    }),
    PushServices.provider,
    PathPrefixes.of(ConsoleSettings),
    RouteRegistrar.of(
      { module: 'ConsoleModule', controllers, refuse: consoleRefusal, isForPeople: true },
      ConsoleSettings,
    ),
    ...controllers,
    SignInRate,
    {
      provide: ConsoleAccess,
      inject: [ConsoleSettings, HostGuards, SignInRate, ConsoleStore],
      useFactory: (settings: ConsoleSettings, guards: HostGuards, rate: SignInRate, store: ConsoleStore) => {
        checkAccess(settings, guards.all.length);
        const { password } = settings;
        return new ConsoleAccess(password === undefined ? undefined : new ConsoleKey(password), guards, rate, store);
      },
    },
    AppInPath,
    ChannelList,
    ChannelRates,
    OwnActivities,
    OwnFigures,
    ProcessView,
    Processes,
    DeliveryFactsSource,
    TraceArchive,
    ArchivedFacts,
    PastActivities,
    PushSamples,
    Samples,
    Minutes,
    Trace,
    TraceAnswers,
    Timelines,
    UserDevices,
    EndpointHealths,
    KeptHealths,
    WebhookAnswers,
    ActivityRecorder,
    ConsoleHeaders,
    ConsoleGuard,
    SessionGuard,
    PageGuard,
  ],
  exports: [ConsoleGuard, ConsoleHeaders, ConsoleAccess],
})
export class ConsoleModule extends Configurable implements NestModule, OnModuleInit {
  private readonly logger = new Logger(ConsoleModule.name);

  constructor(
    private readonly routes: RouteRegistrar,
    private readonly access: ConsoleAccess,
  ) {
    super();
  }

  configure(): void {
    this.routes.readBodies({ prefix: '/console', bodyLimit: maxBytes });
  }

  onModuleInit(): void {
    const { routes, access } = this;
    const whom = access.isDevelopment
      ? 'this machine'
      : access.needsPassword
        ? 'holders of the password'
        : 'requests that the guards accept';
    this.logger.log(bootLine({ paths: routes.areServed ? [`${routes.prefixes.base}/console`] : [], whom }));
  }
}

/** Large enough for an event, or the bodies of a publish. */
const maxBytes = 256 * 1024;
