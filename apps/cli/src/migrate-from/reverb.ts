import {
  type ConvertedConfig,
  pathPrefix,
  raised,
  withoutUndefined,
  withoutUndefinedOrNone,
  withPassphrase,
  withRoom,
} from './converted-config.js';
import type { OtherFile } from './other-file.js';
import { OtherSettings } from './other-settings.js';
import { decoded, redisUrl } from './redis-url.js';
import { reverbApp, standardBytes } from './reverb-app.js';
import { reverbSettingsIn } from './reverb-variables.js';

const server = 'servers.reverb';
const scaling = `${server}.scaling.server`;

export function fromReverb({ json, variables = {} }: OtherFile): ConvertedConfig {
  const settings = json ? OtherSettings.ofJson(json) : OtherSettings.ofVariables(reverbSettingsIn(variables));
  const apps = settings.list('apps.apps')?.map((app) => reverbApp(app));
  if (!apps) throw new Error('It has no apps.apps');
  const notes: string[] = [];
  if (apps.some(({ app }) => app['clientEvents'])) notes.push(clientEvents);
  const [activityTimeoutSeconds, ...more] = new Set(apps.flatMap((app) => app.activityTimeoutSeconds || []));
  if (more.length > 0)
    notes.push('Apps have different values for activity_timeout: Rookery has one for all apps, and the first was used');
  const requestBytes = settings.limit(`${server}.max_request_size`) ?? standardBytes;
  const messageBytes = Math.max(...apps.map((app) => app.messageBytes));
  if (Math.min(requestBytes, ...apps.map((app) => app.messageBytes)) < standardBytes) notes.push(smaller);
  const channels = withoutUndefinedOrNone({
    path: pathPrefix(settings.text(`${server}.path`)),
    activityTimeoutSeconds,
    limits: withoutUndefinedOrNone(limitsOf(requestBytes, messageBytes)),
  });
  const isScaled = settings.isYes(`${server}.scaling.enabled`);
  const isElsewhere = json !== undefined && !['url', 'host'].some((name) => settings.has(`${scaling}.${name}`));
  const environment = {
    // Reverb's defaults.
    HOST: settings.text(`${server}.host`) ?? '0.0.0.0',
    PORT: settings.text(`${server}.port`) ?? '8080',
    TLS_CERT_FILE: settings.text(`${server}.options.tls.local_cert`),
    TLS_KEY_FILE: settings.text(`${server}.options.tls.local_pk`),
    REDIS_URL: isScaled && !isElsewhere ? redisOf(settings) : undefined,
  };
  if (isScaled && isElsewhere)
    notes.push(`${scaling} is empty, so Reverb uses Laravel's own Redis: set REDIS_URL to it`);
  for (const [name, usual] of [
    ['default', 'reverb'],
    ['apps.provider', 'config'],
  ] as const) {
    const value = settings.text(name) ?? usual;
    if (value !== usual) notes.push(`${name}: Rookery converts only "${usual}", not "${value}"`);
  }
  notes.push(...apps.flatMap((app) => app.notes));
  for (const [name, reason] of Object.entries(reasons)) notes.push(...settings.explain(name, reason));
  return {
    file: { apps: apps.map(({ app }) => app), ...withoutUndefined({ channels }) },
    environment: withoutUndefined(environment) as Record<string, string>,
    notes: [...notes, ...settings.rest()],
  };
}

/** Reverb limits requests and messages, not events: the limits here must let as large events through. */
function limitsOf(requestBytes: number, messageBytes: number) {
  const eventDataBytes = raised('eventDataBytes', Math.max(requestBytes, messageBytes));
  return {
    eventDataBytes,
    requestBytes: raised('requestBytes', withRoom(eventDataBytes)),
    messageBytes: raised('messageBytes', withRoom(eventDataBytes)),
  };
}

/** As in Laravel, the URL goes before the other settings. */
function redisOf(settings: OtherSettings): string {
  const named = settings.url(`${scaling}.url`);
  const part = (ofUrl: string | undefined, name: string): string | undefined =>
    ofUrl ? decoded(ofUrl) : settings.text(`${scaling}.${name}`);
  return redisUrl({
    tls: named && /^(rediss|tls):$/.test(named.protocol),
    addresses: [{ host: part(named?.hostname.replace(/^\[|\]$/g, ''), 'host'), port: part(named?.port, 'port') }],
    username: part(named?.username, 'username'),
    password: part(named?.password, 'password'),
    database: part(named?.pathname.slice(1), 'database'),
  });
}

const clientEvents =
  'Client events: Rookery accepts them only on private and presence channels, 10 a second of a connection ' +
  '(limits.clientEventsPerSecond); Reverb accepts them on all channels, at any rate';

const smaller =
  'max_request_size and max_message_size: the limits here are larger (channels.limits.requestBytes and messageBytes)';

/** Why the other settings below these paths have no counterpart. */
const reasons: Readonly<Record<string, string>> = {
  [`${server}.hostname`]: 'Rookery accepts any host name',
  [`${server}.options.tls.passphrase`]: withPassphrase,
  [`${server}.scaling`]: 'Rookery converts only the address, credentials and database of Redis, if scaling is enabled',
  [`${server}.pulse_ingest_interval`]: 'Rookery serves GET /metrics instead',
  [`${server}.telescope_ingest_interval`]: 'Rookery serves GET /metrics instead',
};
