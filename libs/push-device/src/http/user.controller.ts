import { Put, UseGuards } from '@nestjs/common';
import { DevicesService, type DevicePath } from '../devices.service.js';
import { CurrentUserId, UserTokenGuard } from '../user-token.guard.js';
import { DeviceApi } from './device-api.js';
import { DeviceIdGuard, PathDevice, PlatformGuard } from './device-path.js';
import { WriteRateGuard } from './write-rate.guard.js';

@DeviceApi('devices/:platform/:deviceId/user', PlatformGuard, DeviceIdGuard, UserTokenGuard)
export class UserController {
  constructor(private readonly devices: DevicesService) {}

  /** SDKs repeat this at each start: the same user again is fine (beams-wire §0.9). */
  @Put()
  @UseGuards(WriteRateGuard)
  set(@PathDevice() path: DevicePath, @CurrentUserId() userId: string): Promise<void> {
    return this.devices.setUser(path, userId);
  }
}
