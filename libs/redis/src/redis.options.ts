import { type Given, IsAmount, rule } from '#common';
import { redisPlace } from './redis-url.js';

const isRedisUrl = (url: unknown): boolean => typeof url === 'string' && redisPlace(url) !== undefined;

/** How processes share their state in Redis. */
export class RedisTuning {
  /** The prefix of all keys: processes with the same prefix share their state. @default 'rookery' */
  @rule('isKeyPrefix', 'must be a text without { and }', (value) => typeof value === 'string' && /^[^{}]+$/.test(value))
  readonly keyPrefix: string = 'rookery';
  /** Seconds between the heartbeats by which a process holds its lease. @default 5 */
  @IsAmount(0.05)
  readonly heartbeatSeconds: number = 5;
  /** Seconds without a heartbeat after which a process is considered dead. At least two heartbeats. @default 15 */
  @IsAmount(0.1)
  readonly leaseSeconds: number = 15;
  /** Seconds that clients may wait while Redis is away; after that, the server is not ready. @default 30 */
  @IsAmount(0)
  readonly outageSeconds: number = 30;
  /** Seconds for which a channel stays subscribed in Redis after its last subscriber left. @default 5 */
  @IsAmount(0)
  readonly lingerSeconds: number = 5;
  /** Seconds to wait for an answer from Redis. @default 5 */
  @IsAmount(0.05)
  readonly commandTimeoutSeconds: number = 5;
}

/** The settings of RedisModule. */
export class RedisSettings extends RedisTuning {
  /**
   * The URL of Redis:
   *
   * - `redis://user:password@host:6379/0`, or `rediss://` with TLS
   * - `redis+sentinel://host:26379,host:26379/name-of-the-master/0`
   * - `redis+cluster://host:6379,host:6379`, or `rediss+cluster://` and `rediss+sentinel://` with TLS
   */
  @rule('isRedisUrl', 'must be a URL such as redis://, redis+sentinel:// or redis+cluster://', isRedisUrl)
  readonly url!: string;
}

/** What `RedisModule.forRoot` takes. */
export type RedisModuleOptions = Given<RedisSettings>;
