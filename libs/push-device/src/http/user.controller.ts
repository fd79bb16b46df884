import { Put, UseGuards } from '@nestjs/common';
import { DevicesService, type DevicePath } from '../devices.service.js';
import { CurrentUserId, UserTokenGuard } from '../user-token.guard.js';
import { refusals } from '../push-device.errors.js';
import { empty, ofAWrite, ofDevice, OfDevices } from './described-device.js';
import { DeviceApi } from './device-api.js';
import { DeviceIdGuard, PathDevice, PlatformGuard } from './device-path.js';
import { WriteRateGuard } from './rate.guards.js';

@DeviceApi('devices/:platform/:deviceId/user', PlatformGuard, DeviceIdGuard, UserTokenGuard)
export class UserController {
  constructor(private readonly devices: DevicesService) {}

  /** SDKs repeat this at each start: the same user again is fine (beams-wire §0.9). */
  @Put()
  @OfDevices('Give a device to the user of a token', () => ({
    security: [{ userToken: [] }],
    parameters: ofDevice,
    answers: empty,
    refuses: [
      ...ofAWrite(),
      refusals.invalidDeviceId(),
      refusals.missingAuthorization(),
      refusals.malformedAuthorization(),
      refusals.invalidSignature(),
      refusals.missingExpiration(),
      refusals.missingSubject(),
      refusals.invalidSubject(),
      refusals.missingIssuer(),
      refusals.invalidIssuer(),
      refusals.otherUser(),
      refusals.tooManyDevices(),
    ],
  }))
  @UseGuards(WriteRateGuard)
  set(@PathDevice() path: DevicePath, @CurrentUserId() userId: string): Promise<void> {
    return this.devices.setUser(path, userId);
  }
}
