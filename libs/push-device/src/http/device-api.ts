import { applyDecorators, type CanActivate, type Type, UseGuards } from '@nestjs/common';
import { JsonContentTypeGuard, RookeryController } from '#http';
import { InstanceGuard } from '../instances/instance.guard.js';

/** Where the device API begins. */
export const deviceApiPrefix = '/device_api/v1';

/** A controller of the device API: first the common checks, then its own, in the order of the API. */
export const DeviceApi = (path: string, ...guards: Type<CanActivate>[]): ClassDecorator =>
  applyDecorators(
    RookeryController(`${deviceApiPrefix}/instances/:instanceId/${path}`),
    UseGuards(JsonContentTypeGuard, InstanceGuard, ...guards),
  );
