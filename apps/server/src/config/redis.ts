import { settingsOf } from 'rookery/internal/common';
import {
  type RedisModuleOptions,
  redisLocation,
  RedisSettings,
  type RedisTuning,
  redisUrlText,
} from 'rookery/internal/redis';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings of RedisModule, if `REDIS_URL` is set; its other variables override the file.
 * @throws Error naming the variable or the setting of the file
 */
export function redisOf(environment: Environment, ofFile: Partial<RedisTuning> = {}): RedisModuleOptions | undefined {
  const url = environment['REDIS_URL'];
  if (!url) return undefined;
  const place = redisLocation(url);
  if (!place) throw new Error(`REDIS_URL ${redisUrlText}`);
  const tuning = { ...ofFile, ...ofEnvironment(environment) };
  if ((tuning.tlsCertFile === undefined) !== (tuning.tlsKeyFile === undefined))
    throw new Error('REDIS_TLS_CERT_FILE and REDIS_TLS_KEY_FILE must be set together');
  if ((tuning.tlsCaFile ?? tuning.tlsCertFile) !== undefined && !place.tls)
    throw new Error('REDIS_URL must begin with rediss:// or rediss+…://, because TLS files are set');
  return settingsOf(RedisSettings, { ...tuning, url }, { path: 'REDIS_URL' });
}

function ofEnvironment(environment: Environment): Partial<RedisTuning> {
  const keyPrefix = environment['REDIS_KEY_PREFIX'];
  if (keyPrefix && /[{}]/.test(keyPrefix))
    throw new Error(`REDIS_KEY_PREFIX must be a text without { and }, got ${JSON.stringify(keyPrefix)}`);
  const given = {
    keyPrefix,
    sentinelUsername: environment['REDIS_SENTINEL_USERNAME'],
    sentinelPassword: environment['REDIS_SENTINEL_PASSWORD'],
    tlsCaFile: environment['REDIS_TLS_CA_FILE'],
    tlsCertFile: environment['REDIS_TLS_CERT_FILE'],
    tlsKeyFile: environment['REDIS_TLS_KEY_FILE'],
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value));
}
