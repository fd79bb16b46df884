import { messageOf, type PlatformRequest, sameSecret } from 'rookery/common';
import type { Instance } from 'rookery/push-device';
import { authorizationMissing, incorrectKey, instanceNotFound } from './errors.js';

/** api § Push publish API: a missing header is 400. */
export function requireAuthorization(request: PlatformRequest): string {
  const { authorization } = messageOf(request).headers;
  if (authorization === undefined || authorization === '') throw authorizationMissing();
  return authorization;
}

/** An unknown instance is told before a wrong key (beams-wire §12.6). */
export function requireKey(instance: Instance | undefined, authorization: string): Instance {
  if (!instance) throw instanceNotFound();
  const [, key] = /^Bearer +(.+)$/i.exec(authorization) ?? [];
  if (key === undefined || !sameSecret(key, instance.secretKey)) throw incorrectKey();
  return instance;
}
