import {
  ConfigurableModuleBuilder,
  Logger,
  Module,
  type DynamicModule,
  type NestModule,
  type OnModuleInit,
} from '@nestjs/common';
import {
  bind,
  bootLine,
  checkAsyncOptions,
  counted,
  importedOnce,
  jsonRefusal,
  lend,
  lentOr,
  MemoryRequestRates,
  RouteRegistrar,
  RequestRates,
  settingsOf,
  type Implementation,
} from 'rookery/common';
import { DeviceRemovals } from './device-removals.js';
import { DeviceRepository } from './device.repository.js';
import { DeviceTokens } from './device-tokens.js';
import { DevicesService } from './devices.service.js';
import { assertComplete } from './http/complete-path.js';
import { deviceApiPrefix } from './http/device-api.js';
import { deviceApiDescription } from './http/description/device-api.description.js';
import { DevicesController } from './http/devices.controller.js';
import { InterestsController } from './http/interests.controller.js';
import { MetadataController } from './http/metadata.controller.js';
import { DeviceRates } from './http/device-rates.js';
import { TokenController } from './http/token.controller.js';
import { UnknownRouteController } from './http/unknown-route.controller.js';
import { UserController } from './http/user.controller.js';
import { WebVapidPublicKeyController } from './http/web-vapid-public-key.controller.js';
import { ConfiguredInstanceRepository } from './instances/configured-instance.repository.js';
import { configuredInstances } from './instances/layered-instance.repository.js';
import { InstanceGuard } from './instances/instance.guard.js';
import { InstancesAdmin } from './instances/instances-admin.js';
import { InstanceKeyGuard } from './instances/instance-key.guard.js';
import { InstanceRepository } from './instances/instance.repository.js';
import { MemoryDeviceRepository } from './memory/memory-device.repository.js';
import { pushDeviceOptions, type PushDeviceOptions, PushDeviceSettings } from './push-device.options.js';
import { UnseenDevices } from './unseen-devices.js';
import { UserTokenGuard } from './user-token.guard.js';

/** Passed alongside the options to `forRoot` and `forRootAsync`: the ports, and their dependencies. */
export interface PushDevicePorts {
  /** @default the instances of the options */
  readonly instanceRepository?: Implementation<InstanceRepository>;
  /** @default in memory */
  readonly deviceRepository?: Implementation<DeviceRepository>;
  /** Counts registrations. @default RedisModule's, or in memory: each process counts for itself */
  readonly requestRates?: Implementation<RequestRates>;
  /** Modules whose providers the ports inject. */
  readonly imports?: DynamicModule['imports'];
}

const ports: PushDevicePorts = {
  instanceRepository: undefined,
  deviceRepository: undefined,
  requestRates: undefined,
  imports: undefined,
};

const place = { module: 'PushDeviceModule', ports: Object.keys(ports) };

const { ConfigurableModuleClass, ASYNC_OPTIONS_TYPE } = new ConfigurableModuleBuilder<PushDeviceOptions>({
  optionsInjectionToken: pushDeviceOptions,
})
  .setClassMethodName('forRoot')
  .setExtras(ports, (module, { instanceRepository, deviceRepository, requestRates, imports = [] }) => ({
    ...module,
    global: true,
    imports: [...(module.imports ?? []), ...imports],
    providers: [
      ...(module.providers ?? []),
      {
        provide: PushDeviceSettings,
        useFactory: (options: PushDeviceOptions) => settingsOf(PushDeviceSettings, options, place),
        inject: [pushDeviceOptions],
      },
      bind(InstanceRepository, instanceRepository, ConfiguredInstanceRepository),
      bind(DeviceRepository, deviceRepository, MemoryDeviceRepository),
      bind(RequestRates, requestRates, lentOr(RequestRates, MemoryRequestRates)),
    ],
  }))
  .build();

/** The providers PublishModule uses. */
const lent = [
  lend(InstanceRepository),
  lend(DeviceRepository),
  lend(DevicesService),
  lend(InstanceGuard),
  lend(InstancesAdmin),
  lend(DeviceRemovals),
  lend(DeviceRates),
];

const controllers = [
  DevicesController,
  MetadataController,
  TokenController,
  UserController,
  InterestsController,
  WebVapidPublicKeyController,
  UnknownRouteController,
];

/** The Push device API (api § Push device API): registration, metadata, users and interests of devices. */
@Module({
  providers: [
    importedOnce('PushDeviceModule', 'forRoot({ instances: [one, another] })'),
    ...lent,
    RouteRegistrar.of(
      { module: 'PushDeviceModule', controllers, refuse: jsonRefusal, description: deviceApiDescription },
      PushDeviceSettings,
    ),
    DeviceRemovals,
    DevicesService,
    DeviceTokens,
    UnseenDevices,
    InstancesAdmin,
    InstanceGuard,
    InstanceKeyGuard,
    UserTokenGuard,
    DeviceRates,
    ...controllers,
  ],
  exports: [
    ...lent,
    InstanceRepository,
    DeviceRepository,
    DevicesService,
    DeviceTokens,
    UnseenDevices,
    InstancesAdmin,
    InstanceGuard,
    InstanceKeyGuard,
    UserTokenGuard,
  ],
})
export class PushDeviceModule extends ConfigurableModuleClass implements NestModule, OnModuleInit {
  private readonly logger = new Logger(PushDeviceModule.name);

  constructor(
    private readonly routes: RouteRegistrar,
    private readonly instances: InstanceRepository,
    private readonly devices: DeviceRepository,
    private readonly settings: PushDeviceSettings,
  ) {
    super();
  }

  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    checkAsyncOptions(options, place);
    return super.forRootAsync(options);
  }

  configure(): void {
    const { bodyLimit } = this.settings;
    this.routes.readBodies({ prefix: deviceApiPrefix, bodyLimit, cors: true, checkPath: assertComplete });
  }

  onModuleInit(): void {
    const { instances, devices, routes } = this;
    const configured = configuredInstances(instances);
    const whom = configured && counted(configured.count, 'instance');
    const ports = { InstanceRepository: instances, DeviceRepository: devices };
    this.logger.log(bootLine({ paths: routes.areServed ? [routes.base + deviceApiPrefix] : [], whom, ports }));
    if (this.devices instanceof MemoryDeviceRepository) this.warnOfMemory();
  }

  private warnOfMemory(): void {
    if (process.env['NODE_ENV'] === 'production' && !this.settings.allowMemoryInProduction)
      throw new Error(
        'PushDeviceModule keeps devices in memory and NODE_ENV is production. Name a store, such as ' +
          'forRoot({ instances, deviceRepository: TypeOrmDeviceRepository }), or set allowMemoryInProduction: true',
      );
    this.logger.warn('Devices are kept in memory: they are lost on restart and unknown to other processes');
  }
}
