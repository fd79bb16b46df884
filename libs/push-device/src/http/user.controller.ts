import { Headers, Put } from '@nestjs/common';
import { DevicesService, type DevicePath } from '../devices.service.js';
import { CurrentInstance } from '../instances/instance.guard.js';
import type { Instance } from '../instances/instance.js';
import { bearerToken, verifyUserToken } from '../user-token.js';
import { DeviceApi } from './device-api.js';
import { PathDevice } from './device-path.js';

@DeviceApi('devices/:platform/:deviceId/user')
export class UserController {
  constructor(private readonly devices: DevicesService) {}

  /** SDKs repeat this at each start: the same user again is fine (beams-wire §0.9). */
  @Put()
  async set(
    @CurrentInstance() instance: Instance,
    @PathDevice({ strict: true }) path: DevicePath,
    @Headers('authorization') authorization: string | undefined,
  ): Promise<void> {
    const userId = await verifyUserToken(bearerToken(authorization), instance, Date.now());
    await this.devices.setUser(path, userId);
  }
}
