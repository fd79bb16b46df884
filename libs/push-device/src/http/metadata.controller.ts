import { Put, UseGuards } from '@nestjs/common';
import { bodySchemaOf } from '#common';
import { describing, RequestBody } from '#http';
import { DevicesService, type DevicePath } from '../devices.service.js';
import { metadataFrom } from '../registration.js';
import { DeviceMetadata } from './bodies.js';
import { empty, ofAWrite, ofDevice, OfDevices } from './described-device.js';
import { DeviceApi } from './device-api.js';
import { PathDevice, PlatformGuard } from './device-path.js';
import { WriteRateGuard } from './rate.guards.js';

@DeviceApi('devices/:platform/:deviceId/metadata', PlatformGuard)
export class MetadataController {
  constructor(private readonly devices: DevicesService) {}

  @Put()
  @OfDevices('Set the metadata of a device', () => ({
    parameters: ofDevice,
    requestBody: describing.body(bodySchemaOf(DeviceMetadata), { sdkVersion: '1.9.0', androidVersion: '14' }),
    answers: empty,
    refuses: ofAWrite(),
  }))
  @UseGuards(WriteRateGuard)
  set(@PathDevice() path: DevicePath, @RequestBody(DeviceMetadata) metadata: DeviceMetadata): Promise<void> {
    return this.devices.setMetadata(path, metadataFrom(path.platform, metadata));
  }
}
