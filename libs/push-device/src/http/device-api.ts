import { applyDecorators, UseGuards } from '@nestjs/common';
import { JsonContentTypeGuard, RookeryController } from 'rookery/common';
import { InstanceGuard } from '../instances/instance.guard.js';

/** Where the device API begins. */
export const deviceApiPrefix = '/device_api/v1';

/** A controller of the device API, with what all of it has in common, in the order of the checks. */
export const DeviceApi = (path: string): ClassDecorator =>
  applyDecorators(
    RookeryController(`${deviceApiPrefix}/instances/:instanceId/${path}`),
    UseGuards(JsonContentTypeGuard, InstanceGuard),
  );
