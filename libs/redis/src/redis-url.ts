/** A host and its port. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The location of a Redis, parsed from its URL. */
export interface RedisLocation {
  readonly kind: 'standalone' | 'sentinel' | 'cluster';
  /** One address for a standalone Redis; otherwise several equivalent ones. Empty for a Unix socket. */
  readonly addresses: readonly Address[];
  /** The Unix socket of a standalone Redis. */
  readonly socket?: string;
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
  /** The sentinels' name for the master. */
  readonly master?: string;
}

/** What a URL of Redis must be, for messages. */
export const redisUrlText =
  'must be a URL such as redis://host:6379, redis+sentinel://…, redis+cluster://… or redis+unix:///path, in which a % of user or password is written as %25, and other special characters likewise';

const shape = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/]*)@)?([^/?#]+)(?:\/([^?#]*))?$/;
const socketShape = /^redis\+unix:\/\/(?:([^@/]*)@)?(\/[^?#]+)(?:\?db=(\d+))?$/;

/**
 * @returns the place the URL points to, or undefined if it is not a Redis URL; see `RedisSettings.url` for its forms
 */
export function redisLocation(url: string): RedisLocation | undefined {
  if (url.startsWith('redis+unix:')) return socketPlace(url);
  const [, scheme, named, userInfo, hosts, path = ''] = shape.exec(url) ?? [];
  const user = credentials(userInfo);
  if (hosts === undefined || !user) return undefined;
  const kind = (named ?? 'standalone') as RedisLocation['kind']; // The pattern allows no other name.
  const addresses = hosts.split(',').map((host) => addressOf(host, kind === 'sentinel' ? 26379 : 6379));
  const segments = path.split('/').filter((segment) => segment !== '');
  const master = kind === 'sentinel' ? segments.shift() : undefined;
  const db = Number(segments[0] ?? 0);
  if (!addresses.every(isAddress) || !Number.isInteger(db) || segments.length > 1) return undefined;
  if (kind === 'sentinel' ? !master : kind === 'cluster' ? db !== 0 : addresses.length > 1) return undefined;
  return { kind, addresses, tls: scheme === 'rediss', ...user, db, ...(master ? { master } : {}) };
}

function socketPlace(url: string): RedisLocation | undefined {
  const [, userInfo, path, db = '0'] = socketShape.exec(url) ?? [];
  const [user, socket] = [credentials(userInfo), decoded(path)];
  if (!user || socket === undefined) return undefined;
  return { kind: 'standalone', addresses: [], socket, tls: false, ...user, db: Number(db) };
}

function addressOf(text: string, defaultPort: number): Address | undefined {
  const [, v6, name, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = v6 ?? name;
  return host === undefined ? undefined : { host, port: Number(port ?? defaultPort) };
}

const isAddress = (address: Address | undefined): address is Address => address !== undefined && address.port < 65_536;

/** @returns undefined if they are not URL-encoded */
function credentials(userInfo = ''): { username?: string; password?: string } | undefined {
  const [name = '', ...rest] = userInfo.split(':');
  const [username, password] = [decoded(name), decoded(rest.join(':'))];
  if (username === undefined || password === undefined) return undefined;
  return { ...(username ? { username } : {}), ...(password ? { password } : {}) };
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The URL for a log: without its password. */
export const shownUrl = (url: string): string => url.replace(/\/\/[^@/]*@/, '//…@');
