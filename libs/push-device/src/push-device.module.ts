import {
  ConfigurableModuleBuilder,
  Logger,
  Module,
  type DynamicModule,
  type NestModule,
  type OnModuleInit,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { bind, checkAsyncOptions, jsonRefusal, serveRaw, settingsOf, type Implementation } from 'rookery/common';
import { DeviceRepository } from './device.repository.js';
import { DevicesService } from './devices.service.js';
import { assertComplete } from './http/complete-path.js';
import { deviceApiPrefix } from './http/device-api.js';
import { DevicesController } from './http/devices.controller.js';
import { InterestsController } from './http/interests.controller.js';
import { MetadataController } from './http/metadata.controller.js';
import { TokenController } from './http/token.controller.js';
import { UnknownRouteController } from './http/unknown-route.controller.js';
import { UserController } from './http/user.controller.js';
import { WebVapidPublicKeyController } from './http/web-vapid-public-key.controller.js';
import { ConfiguredInstanceRepository } from './instances/configured-instance.repository.js';
import { InstanceGuard } from './instances/instance.guard.js';
import { InstanceKeyGuard } from './instances/instance-key.guard.js';
import { InstanceRepository } from './instances/instance.repository.js';
import { MemoryDeviceRepository } from './memory/memory-device.repository.js';
import { pushDeviceOptions, type PushDeviceOptions, PushDeviceSettings } from './push-device.options.js';
import { UserTokenGuard } from './user-token.guard.js';

/** What stands beside the options in `forRoot` and `forRootAsync`: the ports, and what they need. */
export interface PushDevicePorts {
  /** @default the instances of the options */
  readonly instanceRepository?: Implementation<InstanceRepository>;
  /** @default in memory */
  readonly devices?: Implementation<DeviceRepository>;
  /** Modules whose providers the ports inject. */
  readonly imports?: DynamicModule['imports'];
}

const ports: PushDevicePorts = { instanceRepository: undefined, devices: undefined, imports: undefined };

const place = { module: 'PushDeviceModule', ports: Object.keys(ports) };

const { ConfigurableModuleClass, ASYNC_OPTIONS_TYPE } = new ConfigurableModuleBuilder<PushDeviceOptions>({
  optionsInjectionToken: pushDeviceOptions,
})
  .setClassMethodName('forRoot')
  .setExtras(ports, (module, { instanceRepository, devices, imports = [] }) => ({
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
      bind(DeviceRepository, devices, MemoryDeviceRepository),
    ],
  }))
  .build();

/** The Push device API (api § Push device API): registration, metadata, users and interests of devices. */
@Module({
  controllers: [
    DevicesController,
    MetadataController,
    TokenController,
    UserController,
    InterestsController,
    WebVapidPublicKeyController,
    UnknownRouteController,
  ],
  providers: [DevicesService, InstanceGuard, InstanceKeyGuard, UserTokenGuard],
  exports: [InstanceRepository, DeviceRepository, DevicesService, InstanceGuard, InstanceKeyGuard, UserTokenGuard],
})
export class PushDeviceModule extends ConfigurableModuleClass implements NestModule, OnModuleInit {
  private readonly logger = new Logger(PushDeviceModule.name);

  constructor(
    private readonly host: HttpAdapterHost,
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
    serveRaw(this.host, {
      prefix: deviceApiPrefix,
      bodyLimit: this.settings.bodyLimit,
      cors: true,
      checkPath: assertComplete,
      refuse: jsonRefusal,
    });
  }

  onModuleInit(): void {
    this.logger.log(
      `InstanceRepository: ${this.instances.constructor.name}, DeviceRepository: ${this.devices.constructor.name}`,
    );
    if (this.devices instanceof MemoryDeviceRepository) this.warnOfMemory();
  }

  private warnOfMemory(): void {
    if (process.env['NODE_ENV'] === 'production' && !this.settings.allowMemoryInProduction)
      throw new Error(
        'PushDeviceModule keeps devices in memory and NODE_ENV is production. Name a store, such as ' +
          'forRoot({ instances, devices: TypeOrmDeviceRepository }), or set allowMemoryInProduction: true',
      );
    this.logger.warn('Devices are kept in memory: they are lost on restart and unknown to other processes');
  }
}
