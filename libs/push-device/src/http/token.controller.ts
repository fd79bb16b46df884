import { type CanActivate, type ExecutionContext, Injectable, Put, UseGuards } from '@nestjs/common';
import { RequestBody, RouteNotFound } from '#http';
import { DevicesService, type DevicePath } from '../devices.service.js';
import { TokenUpdate } from './bodies.js';
import { DeviceApi } from './device-api.js';
import { PathDevice, platformIn } from './device-path.js';
import { WriteRateGuard } from './write-rate.guard.js';

/**
 * Only Google's tokens change while the device stays; other platforms register again, and lack the route
 * (beams-wire §2.9).
 */
@Injectable()
export class FcmGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (platformIn(context) !== 'fcm') throw new RouteNotFound();
    return true;
  }
}

@DeviceApi('devices/:platform/:deviceId/token', FcmGuard)
export class TokenController {
  constructor(private readonly devices: DevicesService) {}

  @Put()
  @UseGuards(WriteRateGuard)
  set(@PathDevice() path: DevicePath, @RequestBody(TokenUpdate) { token }: TokenUpdate): Promise<void> {
    return this.devices.setToken(path, token);
  }
}
