import type { OtherSettings } from './other-settings.js';
import { type OtherRedis, redisUrl } from './redis-url.js';
import { text, yes } from './values.js';

/** What soketi may keep in Redis, and the drivers that need nothing else. */
const drivers = { adapter: 'local', cache: 'memory', queue: 'sync', rateLimiter: 'local' } as const;

/** Redis as soketi reaches it, if one of its drivers does: environment variables, and the `redis` of Rookery's file. */
export function soketiRedis(settings: OtherSettings) {
  const names = Object.keys(drivers);
  const chosen = Object.entries(drivers).map(([name, plain]) =>
    settings.read(`${name}.driver`, (value) => ['redis', plain].find((each) => each === value)),
  );
  if (!chosen.includes('redis')) return { environment: {} };
  const isCluster = names.map((name) => settings.read(`${name}.redis.clusterMode`, yes)).includes(true);
  const sentinels = isCluster ? undefined : addressesOf(settings, 'database.redis.sentinels');
  const prefixes = [settings.read('adapter.redis.prefix', text), settings.read('database.redis.keyPrefix', text)];
  return {
    environment: {
      REDIS_URL: redisUrl({ ...placeOf(settings, isCluster, sentinels), ...accessTo(settings) }),
      REDIS_SENTINEL_PASSWORD: sentinels && settings.read('database.redis.sentinelPassword', text),
    },
    redis: { keyPrefix: prefixes[0] ?? prefixes[1] },
  };
}

function placeOf(
  settings: OtherSettings,
  isCluster: boolean,
  sentinels: OtherRedis['addresses'] | undefined,
): Pick<OtherRedis, 'kind' | 'addresses' | 'master' | 'database'> {
  const own = (name: string) => settings.read(`database.redis.${name}`, text);
  if (isCluster) return { kind: 'cluster', addresses: addressesOf(settings, 'database.redis.clusterNodes') ?? [{}] };
  if (!sentinels) return { addresses: [{ host: own('host'), port: own('port') }], database: own('db') };
  return { kind: 'sentinel', addresses: sentinels, master: own('name') ?? 'mymaster', database: own('db') };
}

function accessTo(settings: OtherSettings): Pick<OtherRedis, 'username' | 'password' | 'tls'> {
  const options = ['database.redis', ...Object.keys(drivers).map((name) => `${name}.redis.redisOptions`)];
  const withTls = [...options, 'adapter.redis.redisPubOptions', 'adapter.redis.redisSubOptions'];
  return {
    username: settings.read('database.redis.username', text),
    password: settings.read('database.redis.password', text),
    tls: withTls.some((name) => settings.has(`${name}.tls`)),
  };
}

const addressesOf = (settings: OtherSettings, name: string): OtherRedis['addresses'] | undefined =>
  settings.list(name)?.map((address) => ({ host: address.read('host', text), port: address.read('port', text) }));
