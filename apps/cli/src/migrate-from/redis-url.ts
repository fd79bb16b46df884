/** Where another server finds its Redis. */
export interface OtherRedis {
  readonly kind?: 'sentinel' | 'cluster' | undefined;
  readonly addresses: readonly { readonly host?: string | undefined; readonly port?: string | undefined }[];
  readonly tls?: boolean | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly database?: string | undefined;
  /** The sentinels' name for the master. */
  readonly master?: string | undefined;
}

/** The URL of a Redis, as in `REDIS_URL`. PHP takes hosts such as `tls://redis.example.com`. */
export function redisUrl({ kind, addresses, tls, username, password, database, master }: OtherRedis): string {
  const isEncrypted = tls || addresses.some(({ host = '' }) => /^(tls|rediss):\/\//.test(host));
  const scheme = `${isEncrypted ? 'rediss' : 'redis'}${kind ? `+${kind}` : ''}`;
  const secret = password === undefined ? '' : `:${encodeURIComponent(password)}`;
  const user = encodeURIComponent(username ?? '') + secret;
  const hosts = addresses.map(({ host = '127.0.0.1', port = kind === 'sentinel' ? '26379' : '6379' }) => {
    const name = host.replace(/^\w+:\/\//, '');
    return `${name.includes(':') ? `[${name}]` : name}:${port}`;
  });
  const path = [master, database === '0' ? undefined : database].filter((part) => part !== undefined);
  return [`${scheme}://${user && `${user}@`}${hosts.join(',')}`, ...path].join('/');
}

/** A part of a URL; a text with a % that is no escape is kept as it is. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
