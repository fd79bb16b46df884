import { credentials, type Fields, isYes, limit, type Moved, type MovedApp, redisUrl, said, textOf } from './moved.js';
import { type OtherSettings, settingAt } from './other-settings.js';

/** The variables of soketi's default app, with an optional prefix SOKETI_. */
const variables = {
  id: 'DEFAULT_APP_ID',
  key: 'DEFAULT_APP_KEY',
  secret: 'DEFAULT_APP_SECRET',
  enabled: 'DEFAULT_APP_ENABLED',
  enableClientMessages: 'DEFAULT_APP_ENABLE_CLIENT_MESSAGES',
  maxConnections: 'DEFAULT_APP_MAX_CONNS',
  maxBackendEventsPerSecond: 'DEFAULT_APP_MAX_BACKEND_EVENTS_PER_SEC',
  maxClientEventsPerSecond: 'DEFAULT_APP_MAX_CLIENT_EVENTS_PER_SEC',
  webhooks: 'DEFAULT_APP_WEBHOOKS',
} as const;

const others = {
  port: 'PORT',
  pathPrefix: 'PATH_PREFIX',
  'presence.maxMembersPerChannel': 'PRESENCE_MAX_MEMBERS',
  'channelLimits.maxNameLength': 'CHANNEL_LIMITS_MAX_NAME_LENGTH',
  'ssl.certPath': 'SSL_CERT',
  'ssl.keyPath': 'SSL_KEY',
  'adapter.driver': 'ADAPTER_DRIVER',
  'appManager.driver': 'APP_MANAGER_DRIVER',
  'database.redis.host': 'DB_REDIS_HOST',
  'database.redis.port': 'DB_REDIS_PORT',
  'database.redis.password': 'DB_REDIS_PASSWORD',
} as const;

/** soketi's names for events that differ from Pusher's. */
const eventNames: Readonly<Record<string, string>> = { cache_missed: 'cache_miss' };

export function fromSoketi({ json, variables: read = {} }: OtherSettings): Moved {
  const variable = (name: string): string | undefined => read[`SOKETI_${name}`] ?? read[name];
  const get = (path: keyof typeof others): unknown => (json ? settingAt(json, path) : variable(others[path]));
  const notes: string[] = [];

  const apps = json ? settingAt(json, 'appManager.array.apps') : [defaultApp(variable)];
  if (!Array.isArray(apps)) throw new Error('It has no appManager.array.apps');
  const driver = get('appManager.driver');
  if (driver !== undefined && driver !== 'array')
    notes.push(`soketi reads its apps from ${textOf(driver)}: export them into "apps"`);
  notes.push(
    'soketi always counts subscriptions on request: set "subscriptionCount" for apps whose servers use the counts',
  );

  const limits = said({
    presenceMembers: limit(get('presence.maxMembersPerChannel')),
    channelNameLength: limit(get('channelLimits.maxNameLength')),
  });
  const path = get('pathPrefix');
  const channels = said({
    path: typeof path === 'string' && path !== '' ? path : undefined,
    limits: Object.keys(limits).length > 0 ? limits : undefined,
  });
  return {
    file: {
      apps: (apps as Fields[]).map((app) => appOf(app, notes)),
      ...(Object.keys(channels).length > 0 && { channels }),
    },
    environment: environmentOf(get),
    notes,
  };
}

const defaultApp = (variable: (name: string) => string | undefined): Fields =>
  said(Object.fromEntries(Object.entries(variables).map(([setting, name]) => [setting, variable(name)])));

function appOf(app: Fields, notes: string[]): MovedApp {
  const named = credentials(app['id'], app['key'], app['secret']);
  const limits = said({
    triggersPerSecond: limit(app['maxBackendEventsPerSecond']),
    clientEventsPerSecond: limit(app['maxClientEventsPerSecond']),
  });
  const webhooks = webhooksOf(app['webhooks'], named.id, notes);
  if (limit(app['maxReadRequestsPerSecond']))
    notes.push(`App ${named.id}: Rookery has no limit for reads over HTTP (maxReadRequestsPerSecond)`);
  return {
    ...named,
    ...said({
      enabled: app['enabled'] === undefined || isYes(app['enabled']) ? undefined : false,
      clientEvents: isYes(app['enableClientMessages']) || undefined,
      maxConnections: limit(app['maxConnections']),
      limits: Object.keys(limits).length > 0 ? limits : undefined,
      webhooks: webhooks.length > 0 ? webhooks : undefined,
    }),
  };
}

function webhooksOf(configured: unknown, app: string, notes: string[]): readonly object[] {
  const all: unknown = typeof configured === 'string' ? JSON.parse(configured) : (configured ?? []);
  return (all as Fields[]).flatMap((webhook) => {
    if (typeof webhook['url'] !== 'string') {
      notes.push(`App ${app}: a webhook that calls ${textOf(webhook['lambda_function'])} needs an address of its own`);
      return [];
    }
    const events = (webhook['event_types'] as string[] | undefined)?.map((name) => eventNames[name] ?? name);
    const filter = (webhook['filter'] ?? {}) as Fields;
    const named = said({
      channelNameStartsWith: filter['channel_name_starts_with'],
      channelNameEndsWith: filter['channel_name_ends_with'],
    });
    return [
      said({
        url: webhook['url'],
        events,
        filter: Object.keys(named).length > 0 ? named : undefined,
        headers: webhook['headers'],
      }),
    ];
  });
}

function environmentOf(get: (path: keyof typeof others) => unknown): Record<string, string> {
  const redis = redisUrl(get('database.redis.host'), get('database.redis.port'), get('database.redis.password'));
  return said({
    PORT: textOf(get('port')),
    TLS_CERT_FILE: textOf(get('ssl.certPath')),
    TLS_KEY_FILE: textOf(get('ssl.keyPath')),
    REDIS_URL: get('adapter.driver') === 'redis' ? redis : undefined,
  }) as Record<string, string>;
}
