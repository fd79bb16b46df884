import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import type { AppConfig } from 'rookery/channels';
import { isProxyList, proxyListRule } from 'rookery/internal/http';
import type { ConsoleOptions } from '@rookery/console';
import type { AppNotificationsConfig } from 'rookery/notifications';
import { isInstanceId, type Instance } from 'rookery/push-device';
import type { RedisModuleOptions } from 'rookery/redis';
import {
  type ChannelsServerOptions,
  checkedFile,
  type DevicesServerOptions,
  type PublishServerOptions,
  isRole,
  type Role,
  roles,
} from './config-file.js';
import { MetricsAddress } from '../metrics-address.js';
import { isSocketPath } from '../unix-socket.js';
import { appOfEnvironment } from './app-variables.js';
import { consoleOf } from './console.js';
import { developmentApp, developmentInstance } from './development.js';
import { fileText } from './file-text.js';
import { inheritedSocket } from './inherited-socket.js';
import { withKeys } from './instances.js';
import { checkOutboundProxy } from './outbound-proxy.js';
import { redisOf } from './redis.js';
import { yesOrNo } from './yes-or-no.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The files of the server's certificate and its key, both PEM. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** How much the server logs, from least to most; `debug` includes Nest's own lines. */
export const logLevels = ['error', 'warn', 'info', 'debug'] as const;
export type LogThreshold = (typeof logLevels)[number];

/** The server's configuration, read once at the start. */
export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  /** The descriptor of a listening socket to use instead of host and port. */
  readonly socket: number | undefined;
  /** Seconds for which an idle connection of a client or proxy stays open. */
  readonly keepAliveSeconds: number;
  /** What this process does: everything (`all`), only serving (`api`), or only sending publishes (`worker`). */
  readonly role: Role;
  /** How many processes serve the port; with 1, only this one. */
  readonly workers: number;
  readonly apps: readonly AppConfig[];
  /** Settings of ChannelsModule, besides its apps. */
  readonly channels: ChannelsServerOptions;
  /** Whether plain triggers are read from their connections. */
  readonly bypassRouter: boolean;
  /** Whether no app is configured; then the well-known development app is served. */
  readonly isDevelopment: boolean;
  /** What only this machine may use: the development app and instance, unless the server listens elsewhere. */
  readonly localOnly: readonly string[];
  /** The push instances. */
  readonly instances: readonly Instance[];
  /** Settings of PushDeviceModule, besides its instances. */
  readonly devices: DevicesServerOptions;
  /** Settings of PublishModule. */
  readonly publish: PublishServerOptions;
  /** The apps whose users get notifications. */
  readonly notifications: readonly AppNotificationsConfig[];
  /** The web console, if it is on. */
  readonly console: ConsoleOptions | undefined;
  /** Where processes share their state; undefined for a single process. */
  readonly redis: RedisModuleOptions | undefined;
  /** The database of devices and publishes: `sqlite:<path>` or `postgres://…`. */
  readonly databaseUrl: string;
  /** PostgreSQL itself, if that names a pooler in transaction mode. */
  readonly databaseListenUrl: string | undefined;
  /** Whether URLs from outside may reach private addresses. */
  readonly allowPrivateNetwork: boolean;
  /** The list of trusted proxies, whose `X-Forwarded-For` is used. */
  readonly trustedProxies: string | undefined;
  /** The certificate of a server that speaks TLS itself, without a proxy. */
  readonly tls: CertificateFiles | undefined;
  /** Where the metrics are served, if not on the server's own port. */
  readonly metricsPort: MetricsAddress | undefined;
  /** Without it, anybody who reaches the server reads its metrics. */
  readonly metricsToken: string | undefined;
  readonly logLevel: LogThreshold;
}

/**
 * Reads the environment, and the configuration in `CONFIG` or in the file that `CONFIG_FILE` names.
 * @throws Error naming the variable or field, the value and what is expected
 */
export function readConfig(given: Environment): ServerConfig {
  const environment = trimmed(given);
  const file = checkedFile(configurationOf(environment));
  const configured = [...(file.apps ?? []), ...appOfEnvironment(environment)];
  checkOutboundProxy(environment);
  const folder = dirname(environment['CONFIG_FILE'] ?? '.');
  const ofFile = (file.instances ?? []).map((instance, i) => withKeys(instance, i, folder));
  const instances = [...ofFile, ...instanceOfEnvironment(environment)];
  // An empty list means that the apps are stored in the database.
  const isSaid = configured.length > 0 || file.apps !== undefined;
  const isDevelopment = !isSaid && environment['NODE_ENV'] !== 'production';
  if (!isSaid && instances.length === 0) refuseInProduction(environment);
  const isLocal = isDevelopment && listensLocally(environment);
  const isTrial = isLocal && instances.length === 0 && file.instances === undefined;
  const role = roleOf(environment, file.role);
  if (role === 'worker' && instances.length === 0 && file.instances === undefined)
    throw new Error(
      'ROLE is worker and no push instance is configured: set BEAMS_INSTANCE_ID and BEAMS_SECRET_KEY, or name a CONFIG_FILE',
    );
  return {
    host: hostOf(environment),
    port: portOf('PORT', environment['PORT'], 6001),
    socket: inheritedSocket(environment),
    keepAliveSeconds: keepAliveOf(environment['KEEP_ALIVE_SECONDS']),
    role,
    workers: workersOf(environment),
    apps: isDevelopment ? [developmentApp] : configured,
    channels: file.channels ?? {},
    bypassRouter: file.bypassRouter ?? true,
    isDevelopment,
    localOnly: [...(isLocal ? [developmentApp.id] : []), ...(isTrial ? [developmentInstance.id] : [])],
    instances: isTrial ? [developmentInstance] : instances,
    devices: file.devices ?? {},
    publish: file.publish ?? {},
    notifications: file.notifications ?? [],
    console: consoleOf(environment, file.console, isDevelopment),
    redis: redisOf(environment, file.redis),
    databaseUrl: environment['DATABASE_URL'] || 'sqlite:data/rookery.db',
    databaseListenUrl: environment['DATABASE_LISTEN_URL'] || undefined,
    allowPrivateNetwork: yesOrNo(environment, 'ALLOW_PRIVATE_NETWORK'),
    trustedProxies: proxiesOf(environment),
    tls: tlsOf(environment),
    metricsPort: metricsPortOf(environment),
    metricsToken: environment['METRICS_TOKEN'] || undefined,
    logLevel: logLevelOf(environment),
  };
}

/** Variables that are read from files often end with a line break. */
const trimmed = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value?.trim()]));

function refuseInProduction(environment: Environment): void {
  if (environment['NODE_ENV'] !== 'production') return;
  throw new Error(
    'NODE_ENV is production and no app is configured: set PUSHER_APP_ID, PUSHER_APP_KEY and PUSHER_APP_SECRET, ' +
      'or name a CONFIG_FILE, with "apps": [] when they are in the database. The development app with its well-known secret is not served in production',
  );
}

function instanceOfEnvironment(environment: Environment): readonly Instance[] {
  const [id, secretKey] = [environment['BEAMS_INSTANCE_ID'], environment['BEAMS_SECRET_KEY']];
  if (!id && !secretKey) return [];
  if (!id || !secretKey) throw new Error('BEAMS_INSTANCE_ID and BEAMS_SECRET_KEY must be set together');
  if (!isInstanceId(id)) throw new Error(`BEAMS_INSTANCE_ID must be a UUID, got ${JSON.stringify(id)}`);
  return [{ id, secretKey }];
}

function tlsOf(environment: Environment): CertificateFiles | undefined {
  const [certFile, keyFile] = [environment['TLS_CERT_FILE'], environment['TLS_KEY_FILE']];
  if (!certFile && !keyFile) return undefined;
  if (!certFile || !keyFile) throw new Error('TLS_CERT_FILE and TLS_KEY_FILE must be set together');
  return { certFile, keyFile };
}

const defaultHost = '127.0.0.1';
const hostOf = ({ HOST: host }: Environment): string => host || defaultHost;

/** Of an inherited socket the address is unknown. */
const listensLocally = (environment: Environment): boolean =>
  !inheritedSocket(environment) && /^(?:|localhost|127\..*|::1)$/.test(environment['HOST'] ?? '');

function proxiesOf({ TRUST_PROXY: list }: Environment): string | undefined {
  if (!list || isProxyList(list)) return list || undefined;
  throw new Error(`TRUST_PROXY ${proxyListRule}, got ${JSON.stringify(list)}`);
}

function portOf<T>(name: string, text: string | undefined, otherwise: T): number | T {
  if (text === undefined || text === '') return otherwise;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`${name} must be a number from 0 to 65535, got ${JSON.stringify(text)}`);
}

function metricsPortOf(environment: Environment): MetricsAddress | undefined {
  const port = portOf('METRICS_PORT', environment['METRICS_PORT'], undefined);
  if (port === undefined) return undefined;
  if (port !== 0 && port === portOf('PORT', environment['PORT'], 6001))
    throw new Error('METRICS_PORT and PORT must differ');
  const host = hostOf(environment);
  return new MetricsAddress(isSocketPath(host) ? defaultHost : host, port);
}

function keepAliveOf(text: string | undefined): number {
  const seconds = Number(text || '72');
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= 86_400) return seconds;
  throw new Error(`KEEP_ALIVE_SECONDS must be a whole number from 1 to 86400, got ${JSON.stringify(text)}`);
}

function roleOf({ ROLE: text, DATABASE_URL: databaseUrl }: Environment, ofFile: Role = 'all'): Role {
  const role = text || ofFile;
  if (!isRole(role)) throw new Error(`ROLE must be ${roles.join(', ')}, got ${JSON.stringify(text)}`);
  if (role !== 'all' && databaseUrl === 'sqlite::memory:')
    throw new Error('ROLE: processes cannot share sqlite::memory:, name a file or a server in DATABASE_URL');
  return role;
}

/** @returns how many processes serve; `max` is one for each core */
function workersOf({ WORKERS: text, DATABASE_URL: databaseUrl }: Environment): number {
  const workers = text === 'max' ? availableParallelism() : Number(text || '1');
  if (!Number.isInteger(workers) || workers < 1)
    throw new Error(`WORKERS must be a whole number from 1, or max, got ${JSON.stringify(text)}`);
  if (workers > 1 && databaseUrl === 'sqlite::memory:')
    throw new Error('WORKERS: processes cannot share sqlite::memory:, name a file in DATABASE_URL');
  return workers;
}

function logLevelOf({ LOG_LEVEL: text }: Environment): LogThreshold {
  const level = logLevels.find((each) => each === (text || 'info'));
  if (!level) throw new Error(`LOG_LEVEL must be one of ${logLevels.join(', ')}, got ${JSON.stringify(text)}`);
  return level;
}

function configurationOf({ CONFIG: text, CONFIG_FILE: path }: Environment): Readonly<Record<string, unknown>> {
  if (text && path) throw new Error('CONFIG and CONFIG_FILE must not both be set');
  if (text) return objectOf('CONFIG', () => text);
  return path ? objectOf(`CONFIG_FILE ${path}`, () => fileText(path)) : {};
}

function objectOf(name: string, read: () => string): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(read());
  } catch (error) {
    throw new Error(`${name} cannot be read as JSON: ${withoutContent(error as Error)}`, { cause: error });
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new Error(`${name} must hold a JSON object with apps and instances`);
  return parsed as Record<string, unknown>;
}

/** The parser quotes the text, which may contain a secret: `Unexpected token '}', "{"key": }" is not valid JSON`. */
const withoutContent = ({ message }: Error): string =>
  message.replace(/, (\.{3})?".*"(\.{3})? is not valid JSON$/s, '');
