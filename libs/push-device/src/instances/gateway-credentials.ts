import { type Platform, platforms } from '../platform.js';
import type { Instance } from './instance.js';

/**
 * Whether the instance lacks the credentials that a platform's devices need: nothing could ever be sent to them. One
 * without any credentials is on trial and lacks none; browsers learn it from `web-vapid-public-key`, which they need
 * first.
 */
export const lacksCredentials = (instance: Instance, platform: Platform): boolean =>
  platform !== 'web' && !instance[platform] && platforms.some((each) => instance[each]);
