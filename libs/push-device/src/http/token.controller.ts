import { type CanActivate, type ExecutionContext, Injectable, Put, UseGuards } from '@nestjs/common';
import { bodySchemaOf } from '#common';
import { describing, RequestBody, RouteNotFound } from '#http';
import { DevicesService, type DevicePath } from '../devices.service.js';
import { TokenUpdate } from './bodies.js';
import { refusals } from '../push-device.errors.js';
import { empty, ofAWrite, ofDevice, OfDevices } from './described-device.js';
import { DeviceApi } from './device-api.js';
import { PathDevice, platformIn } from './device-path.js';
import { WriteRateGuard } from './rate.guards.js';

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
  @OfDevices("Set Google's new token", () => ({
    path: '/device_api/v1/instances/{instanceId}/devices/fcm/{deviceId}/token',
    parameters: ofDevice.slice(1),
    requestBody: describing.body(bodySchemaOf(TokenUpdate), { token: 'a registration token' }),
    answers: empty,
    refuses: [...ofAWrite(), refusals.missingTokenField(), refusals.invalidToken('fcm')],
  }))
  @UseGuards(WriteRateGuard)
  set(@PathDevice() path: DevicePath, @RequestBody(TokenUpdate) { token }: TokenUpdate): Promise<void> {
    return this.devices.setToken(path, token);
  }
}
