import { isIP } from 'node:net';
import { getProxyForUrl } from 'proxy-from-env';
import { isWithoutProxy } from './no-proxy.js';
import { ProxyFailed } from './proxy-failed.js';
import { isProxyUrl } from './proxy-url.js';

/**
 * The proxy through which a URL is requested, as `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` say; undefined: none.
 * Loopback addresses never have one.
 *
 * @throws ProxyFailed if the variable names no http or https URL
 */
export function proxyOf(url: URL): URL | undefined {
  if (isLoopback(url.hostname) || isWithoutProxy(url)) return undefined;
  const text = getProxyForUrl(url.href);
  if (text === '') return undefined;
  if (isProxyUrl(text)) return new URL(text);
  throw new ProxyFailed('URL', 'HTTPS_PROXY, HTTP_PROXY or ALL_PROXY is not an http or https URL');
}

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) ? host === '::1' || host.startsWith('127.') : /(^|\.)localhost\.?$/.test(host);
}
