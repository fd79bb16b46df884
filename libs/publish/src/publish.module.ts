import { Logger, Module, type NestModule, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import {
  byForRoot,
  tokensOf,
  alias,
  configurable,
  importedOnce,
  type InMemory,
  MemoryRequestRates,
  replaceable,
  type Replacements,
  RequestRates,
  required,
  shared,
  warnOfMemory,
} from '#common';
import { bootLine, describedApi, jsonRefusal, PathPrefixes, RouteRegistrar } from '#http';
import { Listeners } from '#webhooks';
import { JobStore, MemoryJobStore } from 'rookery/jobs';
import {
  DeviceRates,
  DeviceRemovals,
  DeviceRepository,
  DevicesService,
  InstanceGuard,
  InstanceRepository,
} from 'rookery/internal/push-device';
import { secretKey } from './access/with-key.js';
import { gatewayPorts, pushGateways } from './delivery/gateway-ports.js';
import { PushGateways } from './delivery/push-gateways.js';
import { Deliveries } from './fan-out/deliveries.js';
import type { DeliveryStep } from './fan-out/delivery-step.js';
import { FanOutPorts } from './fan-out/fan-out.ports.js';
import { DuePublishes } from './outbox/due-publishes.js';
import { FanOutWorker } from './fan-out/fan-out.worker.js';
import { GoneDevices } from './fan-out/gone-devices.js';
import { FaultLog } from './fan-out/fault-log.js';
import { publishLifecyclePayloads } from './lifecycle/on-publish-finished.js';
import { PublishMetrics } from './metrics.js';
import { publishApis } from './http/publish-apis.js';
import { DeadLettersController } from './http/dead-letters.controller.js';
import { DevicesOfController } from './http/devices-of.controller.js';
import { PublishesController } from './http/publishes.controller.js';
import { OpensController } from './http/opens.controller.js';
import { ReportsController } from './http/reports.controller.js';
import { UnknownRoutesController } from './http/unknown-routes.controller.js';
import { UsersController } from './http/users.controller.js';
import { BacklogWatch } from './outbox/backlog-watch.js';
import { MemoryPublishOutbox } from './outbox/memory-publish.outbox.js';
import { PublishOutbox } from './outbox/publish.outbox.js';
import { Retention } from './retention.js';
import { publishClock, PublishSettings, steadyClock } from './publish.options.js';
import { PublishService } from './publish.service.js';
import { ReportsService } from './reports/reports.service.js';
import { PublishDeadLetters } from './webhooks/publish-dead-letters.js';
import { PublishWebhookTestService } from './webhooks/publish-webhook-test.service.js';
import { PublishWebhookTap } from './webhooks/webhook-tap.js';
import { DeviceRemovalNotifier } from './webhooks/device-removal-notifier.js';
import { PublishWebhooks } from './webhooks/publish.webhooks.js';
import { webhookSenderProvider } from './webhooks/webhook-sender.provider.js';
import { folded, wingPorts } from './wings/wings.js';

const ports = {
  /** @default in memory */
  publishOutbox: replaceable(PublishOutbox, MemoryPublishOutbox),
  /** @default in memory */
  webhookOutbox: replaceable(JobStore, MemoryJobStore),
  /** Counts each instance's requests. @default RedisModule's, or in memory: each process counts for itself */
  requestRates: shared(RequestRates, MemoryRequestRates),
  ...wingPorts,
  ...gatewayPorts,
};

/** Passed alongside the options to `forRoot` and `forRootAsync`: the ports, and the modules that they inject from. */
export type PublishPorts = Replacements<typeof ports>;

const missing =
  'PublishModule needs PushDeviceModule: add PushDeviceModule.forRoot({ instances: [{ id, secretKey }] }) ' +
  'to the imports beside it';

const inMemory: InMemory = {
  module: 'PublishModule',
  keeps: 'publishes',
  call: 'forRoot({ publishOutbox: TypeOrmPublishOutbox })',
  loss: 'what is not sent yet is lost on restart',
};

const controllers = [
  PublishesController,
  UsersController,
  DevicesOfController,
  ...folded.controllers,
  DeadLettersController,
  ReportsController,
  OpensController,
  UnknownRoutesController,
];

/** Their part of the OpenAPI document. */
export const publishDescription = () => describedApi({ tag: 'Publishing', securitySchemes: secretKey }, controllers);

/** The Push publish API (api § Push publish API), the customer and reporting APIs, and the delivery. */
@Module({
  imports: [DiscoveryModule],
  providers: [
    importedOnce('PublishModule', 'forRoot()'),
    ...byForRoot('PublishModule.forRoot()', [PublishSettings, ...tokensOf(ports)]),
    ...required({
      missing,
      services: [InstanceRepository, DeviceRepository, DevicesService, InstanceGuard, DeviceRemovals, DeviceRates],
    }),
    PathPrefixes.of(PublishSettings),
    RouteRegistrar.of(
      { module: 'PublishModule', controllers, refuse: jsonRefusal, describe: publishDescription },
      PublishSettings,
    ),
    ...controllers,
    // Read at each call, so that a test can replace the clock.
    { provide: publishClock, useValue: () => Date.now() },
    { provide: steadyClock, useValue: () => performance.now() },
    Listeners.of(publishLifecyclePayloads),
    webhookSenderProvider,
    pushGateways,
    ...folded.steps,
    ...folded.services,
    ...folded.providers,
    {
      provide: Deliveries,
      inject: [DeviceRepository, PushGateways, ...folded.steps],
      useFactory: (devices: DeviceRepository, gateways: PushGateways, ...steps: DeliveryStep[]) =>
        new Deliveries(devices, gateways, steps),
    },
    PublishMetrics,
    BacklogWatch,
    PublishService,
    alias(PublishService),
    ReportsService,
    PublishWebhooks,
    PublishDeadLetters,
    PublishWebhookTap,
    PublishWebhookTestService,
    DeviceRemovalNotifier,
    GoneDevices,
    FaultLog,
    FanOutPorts,
    DuePublishes,
    FanOutWorker,
    Retention,
  ],
  exports: [
    PushGateways,
    ...folded.services,
    ...tokensOf(wingPorts),
    PublishService,
    alias(PublishService),
    PublishMetrics,
    PublishDeadLetters,
    PublishWebhookTap,
    PublishWebhookTestService,
  ],
})
export class PublishModule
  extends configurable({ name: 'PublishModule', settings: PublishSettings, ports })
  implements NestModule, OnModuleInit
{
  private readonly logger = new Logger(PublishModule.name);

  constructor(
    private readonly routes: RouteRegistrar,
    private readonly outbox: PublishOutbox,
    private readonly webhooks: JobStore,
    private readonly gateways: PushGateways,
    private readonly devices: DevicesService,
    private readonly settings: PublishSettings,
  ) {
    super();
  }

  configure(): void {
    for (const api of publishApis) this.routes.readBodies(api);
  }

  onModuleInit(): void {
    const { outbox, webhooks, gateways, routes } = this;
    this.devices.refuseBy(({ platform, token }) => gateways.of(platform).tokenRefusal?.(token));
    const ports = {
      PublishOutbox: outbox,
      JobStore: webhooks,
      PushGateway: gateways.all,
    };
    const paths = [...new Set(publishApis.map(({ prefix }) => routes.prefixes.base + prefix))];
    this.logger.log(bootLine({ paths: routes.areServed ? paths : [], ports }));
    if (this.outbox instanceof MemoryPublishOutbox) warnOfMemory(inMemory, this.settings, this.logger);
  }
}
