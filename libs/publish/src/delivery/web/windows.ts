import { isHostAmong } from '#common';

const windowsHosts = ['*.notify.windows.com'];

/**
 * The header that Windows' push service needs besides `TTL`: it answers 400 to a TTL of 0 for a message that it should
 * keep for devices that are offline.
 */
export function windowsHeaders(host: string, ttl: string | undefined): Readonly<Record<string, string>> {
  if (!isHostAmong(windowsHosts, host)) return none;
  return { 'x-wns-cache-policy': ttl === '0' ? 'no-cache' : 'cache' };
}

const none = {};
