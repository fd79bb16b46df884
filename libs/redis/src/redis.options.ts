import { IsBoolean } from 'class-validator';
import { type Given, IsAmount, IsExactText, IsText, Optional, rule } from '#common';
import { redisLocation, redisUrlText } from './redis-url.js';

const isRedisUrl = (url: unknown): boolean => typeof url === 'string' && redisLocation(url) !== undefined;

/** A field that is set only together with another. */
const With = (other: keyof RedisTuning): PropertyDecorator =>
  rule('isWith', `must be set together with ${other}`, (_, tuning) => (tuning as RedisTuning)[other] !== undefined);

const hasTlsIfFiles = (url: unknown, settings: object): boolean => {
  const { tlsCaFile, tlsCertFile } = settings as RedisTuning;
  return (tlsCaFile ?? tlsCertFile) === undefined || redisLocation(String(url))?.tls !== false;
};

/** How processes share their state in Redis. */
export class RedisTuning {
  /** Processes with the same prefix and database share their state. @default 'rookery' */
  @rule('isKeyPrefix', 'must be a text without { and }', (value) => typeof value === 'string' && /^[^{}]+$/.test(value))
  readonly keyPrefix: string = 'rookery';
  /** Interval of the heartbeats of a process. @default 5 */
  @IsAmount(0.05)
  readonly heartbeatSeconds: number = 5;
  /**
   * How long after its last heartbeat a process counts as dead, in seconds; at least twice `heartbeatSeconds`.
   * @default 15
   */
  @IsAmount(0.1)
  @rule(
    'outlastsHeartbeats',
    'must be at least twice heartbeatSeconds',
    (seconds, tuning) => !(Number(seconds) < 2 * (tuning as RedisTuning).heartbeatSeconds),
    { context: { shown: 'number' } },
  )
  readonly leaseSeconds: number = 15;
  /** How long subscribing clients wait while Redis is away; then `/health/ready` answers 503. @default 30 */
  @IsAmount(0)
  readonly outageSeconds: number = 30;
  /** How long a channel without subscribers stays subscribed in Redis. @default 5 */
  @IsAmount(0)
  readonly lingerSeconds: number = 5;
  /** How long a command to Redis may take before it fails, in seconds. @default 5 */
  @IsAmount(0.05)
  readonly commandTimeoutSeconds: number = 5;
  /** The user at the sentinels. */
  @Optional()
  @IsExactText()
  readonly sentinelUsername?: string;
  /** The sentinels' password; they never get that of the URL. */
  @Optional()
  @IsExactText()
  readonly sentinelPassword?: string;
  /**
   * Connects to the sentinels with TLS and the files of `tls…`; `rediss+sentinel://` means TLS for the master only.
   * @default false
   */
  @IsBoolean()
  readonly sentinelTls: boolean = false;
  /** Redis's certificate authority, as PEM. Files are read again for each connection. */
  @Optional()
  @IsText()
  readonly tlsCaFile?: string;
  /** This process's certificate for Redis, as PEM. */
  @Optional()
  @IsText()
  @With('tlsKeyFile')
  readonly tlsCertFile?: string;
  /** The key of `tlsCertFile`, as PEM. */
  @Optional()
  @IsText()
  @With('tlsCertFile')
  readonly tlsKeyFile?: string;
}

/** The settings of RedisModule. */
export class RedisSettings extends RedisTuning {
  /**
   * The URL of Redis:
   *
   * - `redis://user:password@host:6379/0`, or `rediss://` with TLS
   * - `redis+sentinel://host:26379,host:26379/name-of-the-master/0`
   * - `redis+cluster://host:6379,host:6379`, or `rediss+cluster://` and `rediss+sentinel://` with TLS
   * - `redis+unix:///run/redis/redis.sock?db=0`, a Unix socket
   */
  @rule('isRedisUrl', redisUrlText, isRedisUrl)
  @rule('isTlsUrl', 'must begin with rediss if TLS files are set', hasTlsIfFiles)
  readonly url!: string;
}

/** What `RedisModule.forRoot` takes. */
export type RedisModuleOptions = Given<RedisSettings>;
