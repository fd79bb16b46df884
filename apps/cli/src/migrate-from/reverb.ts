import {
  type ConvertedApp,
  type ConvertedConfig,
  convertedConfig,
  credentials,
  raised,
  withPassphrase,
  withRoom,
} from './converted-config.js';
import type { OtherFile } from './other-file.js';
import { OtherSettings, type Row } from './other-settings.js';
import { decoded, redisUrl } from './redis-url.js';
import { reverbPathsIn } from './reverb-variables.js';
import { type Convert, pathPrefix, text, texts, url, wholeNumber, yes } from './values.js';

const server = 'servers.reverb';
const scaling = `${server}.scaling.server`;

/** How large requests and messages may be unless it is set. */
const standardBytes = 10_000;

const environmentTable: readonly Row[] = [
  { path: `${server}.host`, to: 'HOST', convert: text, byDefault: '0.0.0.0' },
  { path: `${server}.port`, to: 'PORT', convert: text, byDefault: '8080' },
  { path: `${server}.options.tls.local_cert`, to: 'TLS_CERT_FILE', convert: text },
  { path: `${server}.options.tls.local_pk`, to: 'TLS_KEY_FILE', convert: text },
];

const acceptsClientEvents: Convert<boolean> = (value) =>
  text(value) === undefined ? undefined : ['all', 'members'].includes(text(value)!);
const allowedOrigins: Convert<readonly string[]> = (value) => (texts(value)?.includes('*') ? null : texts(value));

const appTable: readonly Row[] = [
  // Reverb accepts client events ("whispers") by default.
  {
    path: 'accept_client_events_from',
    to: 'clientEvents',
    convert: acceptsClientEvents,
    byDefault: true,
    unless: false,
  },
  { path: 'allowed_origins', to: 'allowedOrigins', convert: allowedOrigins },
  { path: 'max_connections', to: 'maxConnections', convert: wholeNumber },
];

export function fromReverb({ json, variables = {} }: OtherFile): ConvertedConfig {
  const settings = json ? OtherSettings.ofJson(json) : OtherSettings.ofVariables(variables, reverbPathsIn(variables));
  const apps = settings.list('apps.apps');
  if (!apps) throw new Error('It has no apps.apps');
  const converted = apps.map((app): ConvertedApp => ({ ...credentials(app, 'app_id'), ...app.convert(appTable) }));
  const notes: string[] = [];
  if (converted.some((app) => app['clientEvents'])) notes.push(clientEvents);
  const [activityTimeoutSeconds, ...more] = new Set(
    apps.flatMap((app) => app.read('activity_timeout', wholeNumber) || []),
  );
  if (more.length > 0)
    notes.push('Apps have different values for activity_timeout: Rookery has one for all apps, and the first was used');
  const requestBytes = settings.read(`${server}.max_request_size`, wholeNumber) ?? standardBytes;
  const messageBytes = apps.map((app) => app.read('max_message_size', wholeNumber) ?? standardBytes);
  if (Math.min(requestBytes, ...messageBytes) < standardBytes) notes.push(smaller);
  const channels = {
    path: settings.read(`${server}.path`, pathPrefix),
    activityTimeoutSeconds,
    limits: limitsFor(Math.max(requestBytes, ...messageBytes)),
  };
  const isScaled = settings.read(`${server}.scaling.enabled`, yes);
  const isElsewhere = json !== undefined && !['url', 'host'].some((name) => settings.has(`${scaling}.${name}`));
  const environment = {
    ...settings.convert(environmentTable),
    REDIS_URL: isScaled && !isElsewhere ? redisOf(settings) : undefined,
  };
  if (isScaled && isElsewhere)
    notes.push(`${scaling} is empty, so Reverb uses Laravel's own Redis: set REDIS_URL to it`);
  for (const [name, usual] of [
    ['default', 'reverb'],
    ['apps.provider', 'config'],
  ] as const) {
    const value = settings.read(name, text) ?? usual;
    if (value !== usual) notes.push(`${name}: Rookery converts only "${usual}", not "${value}"`);
  }
  for (const app of apps)
    for (const [name, reason] of Object.entries(reasonsOfApp)) notes.push(...app.explain(name, reason));
  return convertedConfig(settings, { file: { apps: converted, channels }, environment, notes }, reasons);
}

/** Reverb limits requests and messages, not events: the limits here must let as large events through. */
function limitsFor(largestBytes: number) {
  const eventDataBytes = raised('eventDataBytes', largestBytes);
  return {
    eventDataBytes,
    requestBytes: raised('requestBytes', withRoom(eventDataBytes)),
    messageBytes: raised('messageBytes', withRoom(eventDataBytes)),
  };
}

/** As in Laravel, the URL goes before the other settings. */
function redisOf(settings: OtherSettings): string {
  const named = settings.read(`${scaling}.url`, url);
  const part = (ofUrl: string | undefined, name: string): string | undefined =>
    ofUrl ? decoded(ofUrl) : settings.read(`${scaling}.${name}`, text);
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

/** Why the other settings of an app have no counterpart. */
const reasonsOfApp = {
  options: 'Laravel reads this address: point it at Rookery',
  ping_interval: 'silent connections are pinged after channels.activityTimeoutSeconds',
  rate_limiting: 'client events and subscribes have limits of their own (channels.limits)',
};

/** Why the other settings below these paths have no counterpart. */
const reasons: Readonly<Record<string, string>> = {
  [`${server}.hostname`]: 'Rookery accepts any host name',
  [`${server}.options.tls.passphrase`]: withPassphrase,
  [`${server}.scaling`]: 'Rookery converts only the address, credentials and database of Redis, if scaling is enabled',
  [`${server}.pulse_ingest_interval`]: 'Rookery serves GET /metrics instead',
  [`${server}.telescope_ingest_interval`]: 'Rookery serves GET /metrics instead',
};
