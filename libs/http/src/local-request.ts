import { isIP } from 'node:net';

/** The headers that tell from where a browser asks. */
export interface AskingFrom {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}

/** Names of this machine and its networks: public DNS has none of them. */
const ownName = /^(?:.+\.)?(?:localhost|test|internal)$/;

/**
 * Whether a request was made by a program, or a page, of this machine or its networks. With DNS rebinding a foreign name
 * points to this machine, but the browser still sends that name in `Host`; an address cannot be rebound.
 */
export function isLocalRequest({ host, origin }: AskingFrom): boolean {
  const asked = host === undefined ? 'localhost' : hostIn(`http://${host}`);
  if (asked === undefined || !(isOwn(asked) || isAddress(asked))) return false;
  if (origin === undefined || origin.startsWith('file:')) return true;
  const page = hostIn(origin);
  return page !== undefined && (isOwn(page) || page === asked);
}

const hostIn = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).hostname : undefined);

const isOwn = (host: string): boolean =>
  ownName.test(host) || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));

const isAddress = (host: string): boolean => isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0;
