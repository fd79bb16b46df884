import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { platformIn } from './device-path.js';
import { type Platform, platforms } from '../platform.js';
import { refusals } from '../push-device.errors.js';
import { PushDeviceSettings } from '../push-device.options.js';
import { currentInstance } from '../instances/instance.guard.js';
import type { Instance } from '../instance.js';

/** Refuses registrations of devices that could never be sent to (beams-wire §2.3). */
@Injectable()
export class GatewayCredentialsGuard implements CanActivate {
  constructor(private readonly settings: PushDeviceSettings) {}

  canActivate(context: ExecutionContext): boolean {
    const platform = platformIn(context);
    if (this.settings.requireCredentials && lacksCredentials(currentInstance(context), platform))
      throw refusals.noCredentials(platform);
    return true;
  }
}

/**
 * Whether the instance lacks the credentials that a platform's devices need. An instance without any credentials is a
 * trial and passes; browsers find out from `web-vapid-public-key`, which they need first.
 */
const lacksCredentials = (instance: Instance, platform: Platform): boolean =>
  platform !== 'web' && !instance[platform] && platforms.some((each) => instance[each]);
