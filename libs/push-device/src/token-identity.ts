import { isObject } from '#common';
import type { Registration } from './device.repository.js';

/**
 * What names a device in its token, however the token is written (beams-wire §12.2): Apple ignores the case of
 * hexadecimal digits, and a browser is its endpoint, whatever its keys. Apple's tokens belong to an app.
 */
export function tokenIdentity({
  platform,
  token,
  bundleIdentifier,
}: Pick<Registration, 'platform' | 'token' | 'bundleIdentifier'>): string {
  if (platform === 'apns') return JSON.stringify([platform, token.toLowerCase(), bundleIdentifier ?? null]);
  return JSON.stringify([platform, platform === 'web' ? endpointOf(token) : token, null]);
}

/** A browser's endpoint, or the token if it is no subscription. */
function endpointOf(token: string): string {
  try {
    const subscription: unknown = JSON.parse(Buffer.from(token, 'base64').toString());
    const endpoint = isObject(subscription) ? subscription['endpoint'] : undefined;
    return typeof endpoint === 'string' ? endpoint : token;
  } catch {
    return token;
  }
}
