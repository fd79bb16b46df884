import { Logger, Module, type NestModule, type OnModuleInit } from '@nestjs/common';
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
  shared,
  warnOfMemory,
} from '#common';
import { describedApi, bootLine, counted, jsonRefusal, PathPrefixes, RouteRegistrar } from '#http';
import { DeviceRemovals } from './device-removals.js';
import { DeviceRepository } from './device.repository.js';
import { DeviceTokens } from './device-tokens.js';
import { DevicesService } from './devices.service.js';
import { assertComplete } from './http/complete-path.js';
import { deviceApiPrefix } from './http/device-api.js';
import { userToken } from './http/described-device.js';
import { DevicesController } from './http/devices.controller.js';
import { InterestsController } from './http/interests.controller.js';
import { MetadataController } from './http/metadata.controller.js';
import { DeviceRates } from './http/device-rates.js';
import { TokenController } from './http/token.controller.js';
import { UnknownRouteController } from './http/unknown-route.controller.js';
import { UserController } from './http/user.controller.js';
import { WebVapidPublicKeyController } from './http/web-vapid-public-key.controller.js';
import { ConfiguredInstanceRepository } from './instances/configured-instance.repository.js';
import { DefaultInstance } from './instances/default-instance.js';
import { configuredInstances } from './instances/layered-instance.repository.js';
import { InstanceGuard } from './instances/instance.guard.js';
import { InstancesAdmin } from './instances/instances-admin.js';
import { InstanceKeyGuard } from './instances/instance-key.guard.js';
import { InstanceRepository } from './instances/instance.repository.js';
import { MemoryDeviceRepository } from './memory/memory-device.repository.js';
import { PushDeviceSettings } from './push-device.options.js';
import { UnseenDevices } from './unseen-devices.js';
import { UserTokenGuard } from './user-token.guard.js';

const ports = {
  /** @default the instances of the options */
  instanceRepository: replaceable(InstanceRepository, ConfiguredInstanceRepository),
  /** @default in memory */
  deviceRepository: replaceable(DeviceRepository, MemoryDeviceRepository),
  /** Counts registrations. @default RedisModule's, or in memory: each process counts for itself */
  requestRates: shared(RequestRates, MemoryRequestRates),
};

/** Passed alongside the options to `forRoot` and `forRootAsync`: the ports, and the modules that they inject from. */
export type PushDevicePorts = Replacements<typeof ports>;

/** PublishModule and NotificationsModule require these. */
const aliases = [
  InstanceRepository,
  DefaultInstance,
  DeviceRepository,
  DevicesService,
  InstanceGuard,
  DeviceRemovals,
  DeviceRates,
].map((provider) => alias(provider));

const inMemory: InMemory = {
  module: 'PushDeviceModule',
  keeps: 'devices',
  call: 'forRoot({ instances, deviceRepository: TypeOrmDeviceRepository })',
  loss: 'they are lost on restart and unknown to other processes',
};

const interestSets = /\/devices\/[^/]+\/[^/]+\/interests\/?$/;
const otherPaths = new RegExp(`^(?!.*${interestSets.source})`);

/** Two tokens of 8192 characters, metadata, and as much again. */
const maxBytes = 32 * 1024;

const controllers = [
  DevicesController,
  MetadataController,
  TokenController,
  UserController,
  InterestsController,
  WebVapidPublicKeyController,
  UnknownRouteController,
];

/** Their part of the OpenAPI document. */
export const deviceApiDescription = () => describedApi({ tag: 'Devices', securitySchemes: userToken }, controllers);

/** The Push device API (api § Push device API): registration, metadata, users and interests of devices. */
@Module({
  providers: [
    importedOnce('PushDeviceModule', 'forRoot({ instances: [one, another] })'),
    ...byForRoot('PushDeviceModule.forRoot({ instances })', [PushDeviceSettings, ...tokensOf(ports)]),
    PathPrefixes.of(PushDeviceSettings),
    RouteRegistrar.of(
      { module: 'PushDeviceModule', controllers, refuse: jsonRefusal, describe: deviceApiDescription },
      PushDeviceSettings,
    ),
    DeviceRemovals,
    DevicesService,
    DeviceTokens,
    UnseenDevices,
    InstancesAdmin,
    DefaultInstance,
    InstanceGuard,
    InstanceKeyGuard,
    UserTokenGuard,
    DeviceRates,
    ...aliases,
    ...controllers,
  ],
  exports: [
    PushDeviceSettings,
    InstanceRepository,
    DeviceRepository,
    DevicesService,
    DeviceTokens,
    UnseenDevices,
    InstancesAdmin,
    DefaultInstance,
    InstanceGuard,
    InstanceKeyGuard,
    UserTokenGuard,
    ...aliases,
  ],
})
export class PushDeviceModule
  extends configurable({ name: 'PushDeviceModule', settings: PushDeviceSettings, ports })
  implements NestModule, OnModuleInit
{
  private readonly logger = new Logger(PushDeviceModule.name);

  constructor(
    private readonly routes: RouteRegistrar,
    private readonly instances: InstanceRepository,
    private readonly devices: DeviceRepository,
    private readonly settings: PushDeviceSettings,
  ) {
    super();
  }

  configure(): void {
    const { bodyLimit } = this.settings;
    const routes = { prefix: deviceApiPrefix, cors: true, checkPath: assertComplete };
    this.routes.readBodies({ ...routes, only: interestSets, bodyLimit });
    this.routes.readBodies({ ...routes, only: otherPaths, bodyLimit: Math.min(bodyLimit, maxBytes) });
  }

  onModuleInit(): void {
    const { instances, devices, routes } = this;
    const configured = configuredInstances(instances);
    const whom = configured && counted(configured.count, 'instance');
    const ports = { InstanceRepository: instances, DeviceRepository: devices };
    this.logger.log(bootLine({ paths: routes.areServed ? [routes.prefixes.base + deviceApiPrefix] : [], whom, ports }));
    if (this.devices instanceof MemoryDeviceRepository) warnOfMemory(inMemory, this.settings, this.logger);
  }
}
