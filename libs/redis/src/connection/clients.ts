import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import type { ConnectionOptions } from 'node:tls';
import type { RedisSettings } from '../redis.options.js';
import { type Address, type RedisLocation, redisLocation, shownUrl } from '../redis-url.js';
import { tlsOf } from './tls-files.js';

/** What ioredis 6 knows and 5 ignores: RESP2, with the same answers and errors as in 5. */
const plainProtocol: object = { protocol: 2 };

const longestRetryMs = 2000;

/** How long a closing connection may take: one to a Redis that hangs never ends by itself. */
const endMs = 500;
const retryDelayMs = (attempt: number): number => Math.min(50 * 2 ** Math.min(attempt, 6), longestRetryMs);

/** Whether Redis reports that it is a replica. */
export const isReadOnly = (message: string): boolean => message.startsWith('READONLY');

const reviveMs = 500;

/**
 * Connects again after ioredis has given up, which it does when a failover is reported while it asks the sentinels for
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
  readonly place: RedisLocation;
  private readonly tls: ConnectionOptions;

  /** @throws Error that names a TLS file that cannot be read */
  constructor(private readonly settings: RedisSettings) {
    this.place = redisLocation(settings.url)!; // The settings were checked.
    this.tls = tlsOf(settings);
  }

  get shownUrl(): string {
    return shownUrl(this.settings.url);
  }

  /** The user that Redis knows this process as. */
  get username(): string {
    return this.place.username ?? 'default';
  }

  /** The connection for commands. It has no offline queue: a command that cannot be sent at once fails at once. */
  forCommands(): Redis | Cluster {
    const { kind, addresses } = this.place;
    const options = { ...this.options(), enableOfflineQueue: false };
    if (kind !== 'cluster') return new Redis({ ...options, ...this.standalone() });
    const cluster: ClusterOptions = {
      redisOptions: this.options(),
      lazyConnect: true,
      enableOfflineQueue: false,
      // Only ioredis knows to which node's connection a command goes.
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

  /** A connection for one question; without an address, to the configured Redis. It never reconnects. */
  forQuestion(node?: Address): Redis {
    const once = { enableReadyCheck: false, retryStrategy: null };
    return new Redis({ ...this.options(), ...once, ...(node ?? this.standalone()) });
  }

  /** The same to a sentinel. */
  forQuestionTo(sentinel: Address): Redis {
    const { username: _user, password: _password, tls: _tls, ...options } = this.options();
    const { sentinelUsername: username, sentinelPassword: password, sentinelTLS: tls } = this.ofSentinels();
    const own = { ...(username && { username }), ...(password && { password }), ...(tls && { tls }) };
    return new Redis({ ...options, ...own, enableReadyCheck: false, retryStrategy: null, ...sentinel });
  }

  private standalone(): RedisOptions {
    const { kind, addresses, socket, master, db } = this.place;
    if (socket !== undefined) return { path: socket, db };
    if (kind !== 'sentinel') return { ...addresses[0], db };
    return {
      sentinels: [...addresses],
      name: master!,
      db,
      // A master that hangs during a failover returns as a replica, and would keep its old connections.
      failoverDetector: true,
      sentinelCommandTimeout: this.settings.commandTimeoutSeconds * 1000,
      ...this.ofSentinels(),
      ...(this.place.tls ? { enableTLSForSentinelMode: true } : {}),
    };
  }

  private ofSentinels(): Pick<RedisOptions, 'sentinelUsername' | 'sentinelPassword' | 'sentinelTLS'> {
    const { sentinelUsername, sentinelPassword, sentinelTls } = this.settings;
    return {
      ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
      ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
      ...(sentinelTls ? { sentinelTLS: this.tls } : {}),
    };
  }

  private options(): RedisOptions {
    const { username, password, tls } = this.place;
    return {
      ...plainProtocol,
      lazyConnect: true,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      ...(tls ? { tls: this.tls } : {}),
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
