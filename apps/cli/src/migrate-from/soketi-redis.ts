import { withoutUndefinedOrNone } from './converted-config.js';
import type { OtherSettings } from './other-settings.js';
import { type OtherRedis, redisUrl } from './redis-url.js';

/** What soketi may keep in Redis, and the drivers that need nothing else. */
const drivers = { adapter: 'local', cache: 'memory', queue: 'sync', rateLimiter: 'local' } as const;

/** Redis as soketi reaches it, if one of its drivers does. */
export interface SoketiRedis {
  readonly environment: {
    readonly REDIS_URL?: string | undefined;
    readonly REDIS_SENTINEL_PASSWORD?: string | undefined;
  };
  /** The `redis` of Rookery's file. */
  readonly redis?: { readonly keyPrefix: string | undefined } | undefined;
}

export function soketiRedis(settings: OtherSettings): SoketiRedis {
  const chosen = Object.entries(drivers).map(([name, plain]) => settings.oneOf(`${name}.driver`, ['redis', plain]));
  if (!chosen.includes('redis')) return { environment: {} };
  const isCluster = Object.keys(drivers)
    .map((name) => settings.isYes(`${name}.redis.clusterMode`))
    .includes(true);
  const sentinels = isCluster ? undefined : addressesOf(settings, 'database.redis.sentinels');
  const prefixes = [settings.text('adapter.redis.prefix'), settings.text('database.redis.keyPrefix')];
  return {
    environment: {
      REDIS_URL: redisUrl({ ...placeOf(settings, isCluster, sentinels), ...accessTo(settings) }),
      REDIS_SENTINEL_PASSWORD: sentinels && settings.text('database.redis.sentinelPassword'),
    },
    redis: withoutUndefinedOrNone({ keyPrefix: prefixes.find((prefix) => prefix !== undefined) }),
  };
}

function placeOf(
  settings: OtherSettings,
  isCluster: boolean,
  sentinels: OtherRedis['addresses'] | undefined,
): Pick<OtherRedis, 'kind' | 'addresses' | 'master' | 'database'> {
  if (isCluster) return { kind: 'cluster', addresses: addressesOf(settings, 'database.redis.clusterNodes') ?? [{}] };
  const database = settings.text('database.redis.db');
  if (sentinels)
    return {
      kind: 'sentinel',
      addresses: sentinels,
      master: settings.text('database.redis.name') ?? 'mymaster',
      database,
    };
  const address = { host: settings.text('database.redis.host'), port: settings.text('database.redis.port') };
  return { addresses: [address], database };
}

function accessTo(settings: OtherSettings): Pick<OtherRedis, 'username' | 'password' | 'tls'> {
  const options = ['database.redis', ...Object.keys(drivers).map((name) => `${name}.redis.redisOptions`)];
  const withTls = [...options, 'adapter.redis.redisPubOptions', 'adapter.redis.redisSubOptions'];
  return {
    username: settings.text('database.redis.username'),
    password: settings.text('database.redis.password'),
    tls: withTls.some((name) => settings.has(`${name}.tls`)),
  };
}

const addressesOf = (settings: OtherSettings, name: string): OtherRedis['addresses'] | undefined =>
  settings.list(name)?.map((address) => ({ host: address.text('host'), port: address.text('port') }));
