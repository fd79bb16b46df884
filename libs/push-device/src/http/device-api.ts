import { applyDecorators, Controller, UseFilters, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { JsonContentTypeGuard, JsonRefusalFilter } from 'rookery/common';
import { InstanceGuard } from '../instances/instance.guard.js';

/** Where the device API begins. */
export const deviceApiPrefix = '/device_api/v1';

/** A controller of the device API, with what all of it has in common, in the order of the checks. */
export const DeviceApi = (path: string): ClassDecorator =>
  applyDecorators(
    // The version in the path is the API's own; a host's versioning has no say in it.
    Controller({ path: `${deviceApiPrefix}/instances/:instanceId/${path}`, version: VERSION_NEUTRAL }),
    UseFilters(JsonRefusalFilter),
    UseGuards(JsonContentTypeGuard, InstanceGuard),
  );
