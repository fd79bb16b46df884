import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, HttpAdapterHost } from '@nestjs/core';
import { ChannelsModule } from 'rookery/channels';
import { ConsoleModule } from '@rookery/console';
import { NotificationsModule } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import {
  ConfiguredInstanceRepository,
  LayeredInstanceRepository,
  PushDeviceModule,
  PushDeviceSettings,
} from 'rookery/internal/push-device';
import {
  Database,
  TypeOrmAppRepository,
  TypeOrmDeviceRepository,
  TypeOrmInstanceRepository,
  TypeOrmPartedRequestRates,
  TypeOrmNotificationRepository,
  TypeOrmPublishOutbox,
  TypeOrmRequestRates,
  TypeOrmLiveActivityRepository,
  TypeOrmConsoleStore,
  TypeOrmStorageModule,
  TypeOrmTriggerOutbox,
  TypeOrmJobStore,
} from 'rookery/typeorm';
import { ApiDocsController } from './api-docs/api-docs.controller.js';
import type { ServerConfig } from './config/config.js';
import { DemoModule } from './demo/demo.module.js';
import { TriggerFastPath } from './fast-path/trigger-fast-path.js';
import { HealthController } from './health/health.controller.js';
import { OptionsController } from './health/options.controller.js';
import { ShutdownDeadline } from './shutdown-deadline.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsToken } from './metrics.guard.js';
import { MetricsAddress } from './metrics-address.js';
import { MetricsPort } from './metrics-port.js';
import { MetricsService } from './metrics.service.js';
import { ConsoleOffController } from './console-off.controller.js';
import { ConfiguredSettings } from './reload/configured-settings.js';
import { OpenFiles } from './open-files.js';
import { Readiness } from './health/readiness.js';
import { ServerMetrics } from './server-metrics.js';
import { sharedState, storeOf } from './shared-state.js';
import { SoleProcess } from './sole-process.js';
import { UnknownPathFilter } from './unknown-path.filter.js';
import { RpcLink } from './workers/rpc-link.js';

/** Everything the server is made of. */
@Module({})
export class AppModule {
  /** @param primary the link to the process that started this worker */
  static forRoot(config: ServerConfig, primary?: RpcLink): DynamicModule {
    const { role, apps, channels, instances, devices, publish, notifications, redis, databaseUrl } = config;
    const { allowPrivateNetwork, console, trustedProxies, metricsPort } = config;
    const shared = sharedState(config, primary);
    // A worker serves only health checks. Its work is in the database, so it needs no other process.
    const serveRoutes = role !== 'worker';
    // Redis counts faster than a database, and the processes of one machine, for which SQLite is meant, count faster
    // alone.
    const countsInDatabase = databaseUrl.startsWith('postgres') && !redis;
    // Each machine has an SQLite of its own.
    const keepsConsole = databaseUrl.startsWith('postgres') || !redis;
    return {
      module: AppModule,
      imports: [
        ...(serveRoutes
          ? [
              ...shared.modules,
              PresenceModule.forRoot(),
              ChannelsModule.forRoot({
                ...channels,
                apps,
                allowPrivateNetwork,
                localOnly: config.localOnly,
                ...(trustedProxies !== undefined && { trustProxy: trustedProxies }),
                // Apps of the configuration win over those of the database.
                appRepository: TypeOrmAppRepository,
                ...shared.channels,
                webhookOutbox: TypeOrmJobStore.named('channels'),
                // For triggers inserted through the database.
                triggerOutbox: TypeOrmTriggerOutbox,
              }),
              ...(config.isDevelopment ? [DemoModule] : []),
            ]
          : []),
        TypeOrmStorageModule.forRoot({ url: databaseUrl, listenUrl: config.databaseListenUrl }),
        PushDeviceModule.forRoot({
          ...devices,
          instances,
          localOnly: config.localOnly,
          serveRoutes,
          allowPrivateNetwork,
          instanceRepository: {
            inject: [PushDeviceSettings, Database],
            useFactory: (settings: PushDeviceSettings, database: Database) =>
              new LayeredInstanceRepository(
                new ConfiguredInstanceRepository(settings),
                new TypeOrmInstanceRepository(database),
              ),
          },
          deviceRepository: TypeOrmDeviceRepository,
          ...(countsInDatabase && { requestRates: TypeOrmPartedRequestRates }),
        }),
        PublishModule.forRoot({
          ...publish,
          serveRoutes,
          worker: role !== 'api',
          allowPrivateNetwork,
          publishOutbox: TypeOrmPublishOutbox,
          liveActivityRepository: TypeOrmLiveActivityRepository,
          webhookOutbox: TypeOrmJobStore.named('push'),
          ...(countsInDatabase && { requestRates: TypeOrmRequestRates }),
        }),
        ...(serveRoutes && notifications.length > 0
          ? [
              NotificationsModule.forRoot({
                apps: notifications,
                notificationRepository: TypeOrmNotificationRepository,
              }),
            ]
          : []),
        ...(serveRoutes && console
          ? [
              ConsoleModule.forRoot({
                ...console,
                ...(countsInDatabase && { requestRates: TypeOrmRequestRates }),
                ...(keepsConsole && { consoleStore: TypeOrmConsoleStore }),
              }),
            ]
          : []),
      ],
      controllers: [
        HealthController,
        OptionsController,
        ...(metricsPort ? [] : [MetricsController]),
        ...(serveRoutes && !console ? [ConsoleOffController] : []),
        ...(serveRoutes && config.isDevelopment ? [ApiDocsController] : []),
      ],
      providers: [
        Readiness,
        ConfiguredSettings,
        ServerMetrics,
        MetricsService,
        { provide: MetricsToken, useValue: new MetricsToken(config.metricsToken) },
        ...(metricsPort ? [MetricsPort, { provide: MetricsAddress, useValue: metricsPort }] : []),
        OpenFiles,
        ...(serveRoutes && !primary && storeOf(config) === undefined ? [SoleProcess] : []),
        ShutdownDeadline,
        // This server has no guards, hooks or middleware of its own around triggers.
        ...(serveRoutes && config.bypassRouter ? [TriggerFastPath] : []),
        {
          provide: APP_FILTER,
          inject: [HttpAdapterHost],
          useFactory: (host: HttpAdapterHost) =>
            new UnknownPathFilter(host, serveRoutes ? (channels.path ?? '') : undefined),
        },
        ...(primary ? [{ provide: RpcLink, useValue: primary }] : []),
      ],
    };
  }
}
