import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { RouteNotFound } from '#http';
import { isDeviceId } from '../device-id.js';
import type { DevicePath } from '../devices.service.js';
import { currentInstance } from '../instances/instance.guard.js';
import { isPlatform, type Platform } from '../platform.js';
import { refusals } from '../push-device.errors.js';

const paramsIn = (context: ExecutionContext) =>
  context.switchToHttp().getRequest<{ readonly params: Readonly<Record<string, string>> }>().params;

/** The platform in the path; an unknown one matches no route. */
export function platformIn(context: ExecutionContext): Platform {
  const { platform } = paramsIn(context);
  if (!isPlatform(platform)) throw new RouteNotFound();
  return platform;
}

function deviceIn(context: ExecutionContext): DevicePath & { readonly isValid: boolean } {
  const platform = platformIn(context);
  const { deviceId = '' } = paramsIn(context);
  const isValid = isDeviceId(platform, deviceId);
  // No device has an empty id, and stores cannot keep invalid bytes.
  return { instanceId: currentInstance(context).id, platform, id: isValid ? deviceId : '', isValid };
}

/** The device in the path. An invalid id is not found. */
export function devicePathIn(context: ExecutionContext): DevicePath {
  const { instanceId, platform, id } = deviceIn(context);
  return { instanceId, platform, id };
}

/** Lets requests of the three platforms through; others have no such route. */
@Injectable()
export class PlatformGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    platformIn(context);
    return true;
  }
}

/** Refuses an invalid device id on the endpoints that document a 400; on others it is not found. */
@Injectable()
export class DeviceIdGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (!deviceIn(context).isValid) throw refusals.invalidDeviceId();
    return true;
  }
}

/** The platform that the path names, as a parameter of a controller's method. */
export const PathPlatform = createParamDecorator((_: unknown, context: ExecutionContext) => platformIn(context));

/** The device in the path, as a controller parameter. An invalid id is not found. */
export const PathDevice = createParamDecorator((_: unknown, context: ExecutionContext) => devicePathIn(context));
