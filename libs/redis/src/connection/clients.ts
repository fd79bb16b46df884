import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import type { RedisSettings } from '../redis.options.js';
import { type Address, type RedisPlace, redisPlace } from '../redis-url.js';

const longestRetryMs = 2000;

/** How long a connection that is told to end may take: one to a Redis that hangs never ends by itself. */
const endMs = 500;
const retryDelayMs = (attempt: number): number => Math.min(50 * 2 ** Math.min(attempt, 6), longestRetryMs);

/** Whether Redis reports that it is a replica. */
export const isReadOnly = (message: string): boolean => message.startsWith('READONLY');

const reviveMs = 500;

/**
 * Connects again after ioredis has given up, which it does when it hears of a failover while it asks the sentinels for
 * the master.
 */
export function revive(client: Redis | Cluster, isClosed: () => boolean): void {
  const connect = (): void => {
    if (!isClosed()) client.connect().catch(() => undefined);
  };
  client.on('end', () => setTimeout(connect, reviveMs).unref());
}

/** Creates connections to the configured Redis; they connect only when told to. */
export class Clients {
  readonly place: RedisPlace;

  constructor(private readonly settings: RedisSettings) {
    this.place = redisPlace(settings.url)!; // The settings were checked.
  }

  /** The connection for commands. It has no offline queue: a command that cannot be sent at once fails at once. */
  forCommands(): Redis | Cluster {
    const { kind, addresses } = this.place;
    const options = { ...this.options(), enableOfflineQueue: false, enableAutoPipelining: true };
    if (kind !== 'cluster') return new Redis({ ...options, ...this.standalone() });
    const cluster: ClusterOptions = {
      redisOptions: this.options(),
      lazyConnect: true,
      enableOfflineQueue: false,
      enableAutoPipelining: true,
      clusterRetryStrategy: retryDelayMs,
      // A command sent just before its connection broke may have run: repeating it is the caller's decision.
      retryDelayOnFailover: 0,
      slotsRefreshInterval: 5000,
    };
    return new Cluster([...addresses], cluster);
  }

  /** A connection for subscriptions; in a cluster, to one of its nodes. */
  forSubscriptions(node?: Address): Redis {
    return new Redis({ ...this.options(), ...(node ?? this.standalone()) });
  }

  private standalone(): RedisOptions {
    const { kind, addresses, master, db } = this.place;
    if (kind !== 'sentinel') return { ...addresses[0], db };
    return {
      sentinels: [...addresses],
      name: master!,
      db,
      // A master that hangs during a failover returns as a replica, and would keep its old connections.
      failoverDetector: true,
      sentinelCommandTimeout: this.settings.commandTimeoutSeconds * 1000,
      ...(this.place.tls ? { enableTLSForSentinelMode: true } : {}),
    };
  }

  private options(): RedisOptions {
    const { username, password, tls } = this.place;
    return {
      lazyConnect: true,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      ...(tls ? { tls: {} } : {}),
      connectionName: 'rookery',
      commandTimeout: this.settings.commandTimeoutSeconds * 1000,
      connectTimeout: this.settings.commandTimeoutSeconds * 1000,
      disconnectTimeout: endMs,
      maxRetriesPerRequest: 0,
      retryStrategy: retryDelayMs,
      // Both would repeat commands behind the caller's back: Subscriber restores subscriptions itself.
      autoResubscribe: false,
      autoResendUnfulfilledCommands: false,
      // After a failover, a connection may end at a node that is now a replica.
      reconnectOnError: ({ message }) => isReadOnly(message),
    };
  }
}
