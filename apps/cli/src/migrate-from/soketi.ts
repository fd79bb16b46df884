import { type ConvertedApp, type ConvertedConfig, convertedConfig, withPassphrase } from './converted-config.js';
import type { OtherFile } from './other-file.js';
import { OtherSettings, type Row } from './other-settings.js';
import { soketiApp, soketiSpellings } from './soketi-app.js';
import { sharedLimits } from './soketi-limits.js';
import { soketiRedis } from './soketi-redis.js';
import { soketiPathsIn } from './soketi-variables.js';
import { amount, pathPrefix, text, wholeNumber, yes } from './values.js';

const environmentTable: readonly Row[] = [
  // By default, soketi listens on all addresses, Rookery on loopback.
  { path: 'host', to: 'HOST', convert: text, byDefault: '0.0.0.0' },
  { path: 'port', to: 'PORT', convert: text },
  { path: 'ssl.certPath', to: 'TLS_CERT_FILE', convert: text },
  { path: 'ssl.keyPath', to: 'TLS_KEY_FILE', convert: text },
];

const channelsTable: readonly Row[] = [
  { path: 'pathPrefix', to: 'path', convert: pathPrefix },
  { path: 'channelLimits.cacheTtl', to: 'cacheTtlSeconds', convert: amount() },
];

const batchingTable: readonly Row[] = [
  { path: 'webhooks.batching.duration', to: 'webhooks.batchMs', convert: wholeNumber, byDefault: 50 },
];

export function fromSoketi({ json, rows, variables = {} }: OtherFile): ConvertedConfig {
  const content = rows ? { 'appManager.array.apps': rows } : json;
  const settings = content
    ? OtherSettings.ofJson(content)
    : OtherSettings.ofVariables(variables, soketiPathsIn(variables));
  const notes: string[] = [];
  const isBatching = settings.read('webhooks.batching.enabled', yes) || undefined;
  const forEach = {
    signInSeconds: () => (settings.read('userAuthenticationTimeout', amount()) ?? 30_000) / 1000,
    batchWebhooks: isBatching,
  };
  const converted = appsOf(settings, notes).map((app) => soketiApp(app, forEach));
  const apps = converted.map(({ app }) => app);
  notes.push(
    'soketi always counts subscriptions on request: set "subscriptionCount" for apps whose servers use the counts, ' +
      'and "countsInChannelList" if they ask for those of all channels at once',
    ...converted.flatMap((app) => app.notes),
    ...batchingNotes(apps, { isBatching, isOfRows: rows !== undefined }),
  );
  const { redis, environment: inRedis } = soketiRedis(settings);
  const environment = {
    ...settings.convert(environmentTable),
    ...inRedis,
    LOG_LEVEL: settings.read('debug', yes) ? 'debug' : undefined,
  };
  const channels = {
    ...settings.convert([...channelsTable, ...(isBatching ? batchingTable : [])]),
    limits: limitsOf(settings, converted),
  };
  return convertedConfig(settings, { file: { apps, channels, redis }, environment, notes }, reasons);
}

function limitsOf(settings: OtherSettings, apps: readonly ReturnType<typeof soketiApp>[]) {
  const eventDataBytes = settings.read('eventLimits.maxPayloadInKb', amount(1024)) ?? 102_400;
  const largestEventBytes = Math.max(eventDataBytes, ...apps.map((app) => app.eventDataBytes ?? 0));
  const overridden = apps.map((app) => app.overridden);
  return {
    eventDataBytes,
    presenceMembers: settings.read('presence.maxMembersPerChannel', wholeNumber),
    ...sharedLimits(settings, overridden, largestEventBytes),
  };
}

function appsOf(settings: OtherSettings, notes: string[]): readonly OtherSettings[] {
  const driver = settings.read('appManager.driver', text) ?? 'array';
  const apps = settings.list('appManager.array.apps', soketiSpellings);
  if (driver !== 'array')
    notes.push(
      `soketi reads its apps from ${driver}: export them as a JSON array, convert that file in the same way, and copy its ` +
        '"apps" into this one',
    );
  else if (!apps) throw new Error('It has no appManager.array.apps');
  return apps ?? [];
}

/** soketi batches webhooks for all apps or for none, Rookery for each, and exported rows do not tell. */
function batchingNotes(
  apps: readonly ConvertedApp[],
  { isBatching, isOfRows }: { readonly isBatching: true | undefined; readonly isOfRows: boolean },
): string[] {
  if (isOfRows && apps.some(({ webhooks }) => webhooks))
    return [
      'if soketi batches webhooks (WEBHOOKS_BATCHING), set "batchWebhooks" of these apps, or each event is sent alone',
    ];
  if (isBatching && !(apps.length > 0 && apps.every(({ batchWebhooks }) => batchWebhooks)))
    return [
      'webhooks are batched for each app: set "batchWebhooks" of those that you add, or each event is sent alone',
    ];
  return [];
}

const ownRedis = 'Rookery has one Redis for everything, and converts only its address, credentials, database and TLS';

const sharing = 'processes share their state in Redis (REDIS_URL), or by WORKERS on one machine';

/** Why the other settings below these paths have no counterpart. */
const reasons: Readonly<Record<string, string>> = {
  userAuthenticationTimeout: 'it applies only to apps with enableUserAuthentication',
  'webhooks.batching': 'it applies only if webhooks are batched',
  'ssl.passphrase': withPassphrase,
  'ssl.caPath': 'TLS_CERT_FILE must contain the certificate with its whole chain',
  'appManager.cache': 'Rookery keeps its apps in memory',
  'appManager.dynamodb': 'apps are converted only from JSON',
  'appManager.mysql': 'apps are converted only from JSON',
  'appManager.postgres': 'apps are converted only from JSON',
  'database.mysql': 'Rookery has a database of its own (DATABASE_URL); apps are converted only from JSON',
  'database.postgres': 'Rookery has a database of its own (DATABASE_URL); apps are converted only from JSON',
  databasePooling: 'Rookery has a database of its own (DATABASE_URL)',
  'database.redis': ownRedis,
  'adapter.redis': ownRedis,
  adapter: sharing,
  cluster: sharing,
  cache: ownRedis,
  queue: 'webhooks wait in the database until they are delivered',
  rateLimiter: ownRedis,
  cors: 'the HTTP API is for servers; allowedOrigins of an app limits the pages that connect',
  metrics: 'GET /metrics is always served, on the port of the server, with names that begin with rookery_',
  mode: 'each process that serves also sends its webhooks',
  shutdownGracePeriod: 'channels.drainSeconds is how long a process takes to close its connections',
};
