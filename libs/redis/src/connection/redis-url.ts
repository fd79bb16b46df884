/** A host and its port. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Where a Redis is, as its URL says. */
export interface RedisPlace {
  readonly kind: 'standalone' | 'sentinel' | 'cluster';
  /** One of a standalone Redis; several of which any answers for the others. */
  readonly addresses: readonly Address[];
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  /** The name under which the sentinels know the master. */
  readonly master?: string;
}

const shape = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^/?#]+)(?:\/([^?#]*))?$/;

/** @returns where the URL points, or nothing when it is none of Redis; see `RedisSettings.url` for its forms */
export function redisPlace(url: string): RedisPlace | undefined {
  const [, scheme, named, userInfo, hosts, path = ''] = shape.exec(url) ?? [];
  if (hosts === undefined) return undefined;
  const kind = (named ?? 'standalone') as RedisPlace['kind']; // The shape names no other.
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
