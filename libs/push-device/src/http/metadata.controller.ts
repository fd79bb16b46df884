import { Put } from '@nestjs/common';
import { JsonBody, type JsonObject } from 'rookery/common';
import { DevicesService, type DevicePath } from '../devices.service.js';
import { parseMetadata } from '../registration.js';
import { DeviceApi } from './device-api.js';
import { PathDevice } from './device-path.js';

@DeviceApi('devices/:platform/:deviceId/metadata')
export class MetadataController {
  constructor(private readonly devices: DevicesService) {}

  @Put()
  set(@JsonBody() body: JsonObject, @PathDevice() path: DevicePath): Promise<void> {
    return this.devices.setMetadata(path, parseMetadata(path.platform, body));
  }
}
