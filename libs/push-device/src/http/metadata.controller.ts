import { Put, UseGuards } from '@nestjs/common';
import { RequestBody } from '#http';
import { DevicesService, type DevicePath } from '../devices.service.js';
import { metadataFrom } from '../registration.js';
import { DeviceMetadata } from './bodies.js';
import { DeviceApi } from './device-api.js';
import { PathDevice, PlatformGuard } from './device-path.js';
import { WriteRateGuard } from './write-rate.guard.js';

@DeviceApi('devices/:platform/:deviceId/metadata', PlatformGuard)
export class MetadataController {
  constructor(private readonly devices: DevicesService) {}

  @Put()
  @UseGuards(WriteRateGuard)
  set(@PathDevice() path: DevicePath, @RequestBody(DeviceMetadata) metadata: DeviceMetadata): Promise<void> {
    return this.devices.setMetadata(path, metadataFrom(path.platform, metadata));
  }
}
