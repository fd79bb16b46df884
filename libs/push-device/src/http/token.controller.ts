import { Put } from '@nestjs/common';
import { JsonBody, RouteNotFound, type JsonObject } from 'rookery/common';
import { DevicesService, type DevicePath } from '../devices.service.js';
import { parseTokenUpdate } from '../registration.js';
import { DeviceApi } from './device-api.js';
import { PathDevice } from './device-path.js';

@DeviceApi('devices/:platform/:deviceId/token')
export class TokenController {
  constructor(private readonly devices: DevicesService) {}

  /** Only Google's tokens change while a device stays: the others register again (beams-wire §2.9). */
  @Put()
  async set(@JsonBody() body: JsonObject, @PathDevice() path: DevicePath): Promise<void> {
    if (path.platform !== 'fcm') throw new RouteNotFound();
    await this.devices.setToken(path, parseTokenUpdate(path.platform, body));
  }
}
