import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteNotFound } from 'rookery/common';
import { isDeviceId } from '../device-id.js';
import type { DevicePath } from '../devices.service.js';
import { currentInstance } from '../instances/instance.guard.js';
import { isPlatform, type Platform } from '../platform.js';
import { refusals } from '../push-device.errors.js';

const paramsIn = (context: ExecutionContext) =>
  context.switchToHttp().getRequest<{ readonly params: Readonly<Record<string, string>> }>().params;

function platformIn(context: ExecutionContext): Platform {
  const { platform } = paramsIn(context);
  if (!isPlatform(platform)) throw new RouteNotFound();
  return platform;
}

/** The platform that the path names, as a parameter of a controller's method. */
export const PathPlatform = createParamDecorator((_: unknown, context: ExecutionContext) => platformIn(context));

/**
 * The device that the path names, as a parameter of a controller's method. An id that cannot be one is not found;
 * with `{ strict: true }` it is a 400, on the endpoints that list one.
 */
export const PathDevice = createParamDecorator(
  (options: { readonly strict: boolean } | undefined, context: ExecutionContext): DevicePath => {
    const platform = platformIn(context);
    const { deviceId = '' } = paramsIn(context);
    const isValid = isDeviceId(platform, deviceId);
    if (options?.strict && !isValid) throw refusals.invalidDeviceId();
    // No device has the empty id, and no store sees bytes that it cannot keep.
    return { instanceId: currentInstance(context).id, platform, id: isValid ? deviceId : '' };
  },
);
