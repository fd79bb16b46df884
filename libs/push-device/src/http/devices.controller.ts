import { Delete, Get, HttpCode, Post, UseGuards } from '@nestjs/common';
import { RequestBody, ValidBodyGuard } from '#http';
import { DevicesService, type DevicePath } from '../devices.service.js';
import { ClientRateGuard } from './client-rate.guard.js';
import { GatewayCredentialsGuard } from './gateway-credentials.guard.js';
import { CurrentInstance } from '../instances/instance.guard.js';
import type { Instance } from '../instance.js';
import type { Platform } from '../platform.js';
import { registrationFrom } from '../registration.js';
import { type DeviceRegistration, registrationOf } from './bodies.js';
import { DeviceApi } from './device-api.js';
import { PathDevice, PathPlatform, PlatformGuard, platformIn } from './device-path.js';
import { RegistrationRateGuard } from './registration-rate.guard.js';
import { WriteRateGuard } from './write-rate.guard.js';

@DeviceApi('devices/:platform', PlatformGuard)
export class DevicesController {
  constructor(private readonly devices: DevicesService) {}

  @Post()
  @HttpCode(200)
  @UseGuards(ClientRateGuard, ValidBodyGuard, GatewayCredentialsGuard, RegistrationRateGuard)
  async register(
    @CurrentInstance() instance: Instance,
    @PathPlatform() platform: Platform,
    @RequestBody({ by: (context) => registrationOf[platformIn(context)] }) body: DeviceRegistration,
  ) {
    const startToken = platform === 'apns' && 'startToken' in body ? body.startToken : undefined;
    const registration = registrationFrom(platform, body);
    const { id, interests } = await this.devices.register(instance.id, registration, startToken);
    return { id, initialInterestSet: interests };
  }

  @Get(':deviceId')
  async find(@PathDevice() path: DevicePath) {
    const { id, userId = '', metadata } = await this.devices.find(path);
    return { id, userId, metadata };
  }

  @Delete(':deviceId')
  @UseGuards(WriteRateGuard)
  remove(@PathDevice() path: DevicePath): Promise<void> {
    return this.devices.remove(path);
  }
}
