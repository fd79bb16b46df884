import {
  applyDecorators,
  type CanActivate,
  Controller,
  type Type,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { JsonContentTypeGuard, JsonRefusalFilter } from 'rookery/common';
import { InstanceGuard } from '../instances/instance.guard.js';

/** Where the device API begins. */
export const deviceApiPrefix = '/device_api/v1';

/** A controller of the device API: the checks that all of it has in common, then its own, in the order of the API. */
export const DeviceApi = (path: string, ...guards: Type<CanActivate>[]): ClassDecorator =>
  applyDecorators(
    // The version in the path is the API's own; a host's versioning has no say in it.
    Controller({ path: `${deviceApiPrefix}/instances/:instanceId/${path}`, version: VERSION_NEUTRAL }),
    UseFilters(JsonRefusalFilter),
    UseGuards(JsonContentTypeGuard, InstanceGuard, ...guards),
  );
