import { messageOf, type PlatformRequest, rawBodyOf, sameSecret } from 'rookery/common';
import type { Instance } from 'rookery/push-device';
import { authorizationMissing, incorrectKey, instanceNotFound, invalidContentType } from './errors.js';

/** § Errors: a body must be JSON. Without one the content type does not matter (beams-wire §0.3). */
export function requireJson(request: PlatformRequest): void {
  const { headers } = messageOf(request);
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '') && hasBody(request))
    throw invalidContentType();
}

function hasBody(request: PlatformRequest): boolean {
  try {
    return rawBodyOf(request).length > 0;
  } catch {
    return true; // Too large, which is told in its turn.
  }
}

/** § Push publish API: a missing header is 400. */
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
