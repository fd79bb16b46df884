import { Delete, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { JsonBody, type JsonObject } from 'rookery/common';
import { DevicesService, type DevicePath } from '../devices.service.js';
import { lacksCredentials } from '../instances/gateway-credentials.js';
import { CurrentInstance } from '../instances/instance.guard.js';
import type { Instance } from '../instances/instance.js';
import type { Platform } from '../platform.js';
import { refusals } from '../push-device.errors.js';
import { pushDeviceOptions, type PushDeviceOptions } from '../push-device.options.js';
import { parseRegistration } from '../registration.js';
import { DeviceApi } from './device-api.js';
import { PathDevice, PathPlatform } from './device-path.js';

@DeviceApi('devices/:platform')
export class DevicesController {
  private readonly allowHttp: boolean;
  private readonly requireCredentials: boolean;

  constructor(
    private readonly devices: DevicesService,
    @Inject(pushDeviceOptions) options: PushDeviceOptions,
  ) {
    this.allowHttp = options.allowPrivateNetwork ?? process.env['ALLOW_PRIVATE_NETWORK'] === 'true';
    this.requireCredentials = options.requireCredentials ?? true;
  }

  // Nest reads the parameters from the last to the first: so the path is looked at before the body.
  @Post()
  @HttpCode(200)
  async register(
    @JsonBody() body: JsonObject,
    @PathPlatform() platform: Platform,
    @CurrentInstance() instance: Instance,
  ) {
    const registration = parseRegistration(platform, body, { allowHttp: this.allowHttp });
    if (this.requireCredentials && lacksCredentials(instance, platform)) throw refusals.noCredentials(platform);
    const { id, interests } = await this.devices.register(instance.id, registration);
    return { id, initialInterestSet: interests };
  }

  @Get(':deviceId')
  async find(@PathDevice() path: DevicePath) {
    const { id, userId = '', metadata } = await this.devices.find(path);
    return { id, userId, metadata };
  }

  @Delete(':deviceId')
  remove(@PathDevice() path: DevicePath): Promise<void> {
    return this.devices.remove(path);
  }
}
