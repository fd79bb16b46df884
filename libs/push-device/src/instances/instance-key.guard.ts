import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { isLocalRequest, messageOf, requestIn } from '#http';
import { refusals } from '../push-device.errors.js';
import { PushDeviceSettings } from '../push-device.options.js';
import { InstanceGuard } from './instance.guard.js';
import { isKeyOf } from './secret-keys.js';

/** Requires an `Authorization` header: 400 without one (api § Push publish API). */
@Injectable()
export class AuthorizationGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    authorizationIn(context);
    return true;
  }
}

/**
 * Requires the instance's secret key: `Authorization: Bearer <secret key>`. 400 without the header, 401 with another
 * key, 403 from elsewhere for one of `localOnly`. Finds the instance itself if no {@link InstanceGuard} runs before it.
 */
@Injectable()
export class InstanceKeyGuard implements CanActivate {
  constructor(
    private readonly instances: InstanceGuard,
    private readonly settings: PushDeviceSettings,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const [, key] = /^Bearer +(.+)$/i.exec(authorizationIn(context)) ?? [];
    const instance = await this.instances.instanceOf(context);
    if (key === undefined || !isKeyOf(instance, key)) throw refusals.incorrectKey().in(context);
    if (this.settings.localOnly.includes(instance.id) && !isLocalRequest(messageOf(requestIn(context)).headers))
      throw refusals.localOnly(instance.id).in(context);
    return true;
  }
}

function authorizationIn(context: ExecutionContext): string {
  const { authorization } = messageOf(requestIn(context)).headers;
  if (authorization === undefined || authorization === '') throw refusals.keyMissing().in(context);
  return authorization;
}
