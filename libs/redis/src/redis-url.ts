/** A host and its port. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The location of a Redis, parsed from its URL. */
export interface RedisPlace {
  readonly kind: 'standalone' | 'sentinel' | 'cluster';
  /** One address for a standalone Redis; otherwise several equivalent ones. */
  readonly addresses: readonly Address[];
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  /** The sentinels' name for the master. */
  readonly master?: string;
}

const shape = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^/?#]+)(?:\/([^?#]*))?$/;

/**
 * @returns the place the URL points to, or undefined if it is not a Redis URL; see `RedisSettings.url` for its forms
 */
export function redisPlace(url: string): RedisPlace | undefined {
  const [, scheme, named, userInfo, hosts, path = ''] = shape.exec(url) ?? [];
  if (hosts === undefined) return undefined;
  const kind = (named ?? 'standalone') as RedisPlace['kind']; // The pattern allows no other name.
  const addresses = hosts.split(',').map((host) => addressOf(host, kind === 'sentinel' ? 26379 : 6379));
  const segments = path.split('/').filter((segment) => segment !== '');
  const master = kind === 'sentinel' ? segments.shift() : undefined;
  const db = Number(segments[0] ?? 0);
  if (!addresses.every(isAddress) || !Number.isInteger(db) || segments.length > 1) return undefined;
  if (kind === 'sentinel' ? !master : kind === 'cluster' ? db !== 0 : addresses.length > 1) return undefined;
  return { kind, addresses, tls: scheme === 'rediss', ...credentials(userInfo), db, ...(master ? { master } : {}) };
}

function addressOf(text: string, defaultPort: number): Address | undefined {
  const [, v6, name, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = v6 ?? name;
  return host === undefined ? undefined : { host, port: Number(port ?? defaultPort) };
}

const isAddress = (address: Address | undefined): address is Address => address !== undefined && address.port < 65_536;

function credentials(userInfo = ''): { username?: string; password?: string } {
  const [username = '', ...rest] = userInfo.split(':');
  const password = rest.join(':');
  return {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
  };
}

/** The URL for a log: without its password. */
export const shownUrl = (url: string): string => url.replace(/\/\/[^@/]*@/, '//…@');
