import { credentials, type Fields, isYes, limit, type Moved, type MovedApp, redisUrl, said, textOf } from './moved.js';
import { type OtherSettings, settingAt } from './other-settings.js';

/** The fields of an app in `config/reverb.php`. */
const variables = {
  app_id: 'REVERB_APP_ID',
  key: 'REVERB_APP_KEY',
  secret: 'REVERB_APP_SECRET',
  max_connections: 'REVERB_APP_MAX_CONNECTIONS',
  activity_timeout: 'REVERB_APP_ACTIVITY_TIMEOUT',
  accept_client_events_from: 'REVERB_APP_ACCEPT_CLIENT_EVENTS_FROM',
} as const;

const others = {
  host: 'REVERB_SERVER_HOST',
  port: 'REVERB_SERVER_PORT',
  path: 'REVERB_SERVER_PATH',
  'scaling.enabled': 'REVERB_SCALING_ENABLED',
  'scaling.server.url': 'REDIS_URL',
  'scaling.server.host': 'REDIS_HOST',
  'scaling.server.port': 'REDIS_PORT',
  'scaling.server.password': 'REDIS_PASSWORD',
} as const;

export function fromReverb({ json, variables: read = {} }: OtherSettings): Moved {
  const get = (path: keyof typeof others): unknown =>
    json ? settingAt(json, `servers.reverb.${path}`) : read[others[path]];
  const named = json
    ? settingAt(json, 'apps.apps')
    : [Object.fromEntries(Object.entries(variables).map(([setting, name]) => [setting, read[name]]))];
  if (!Array.isArray(named)) throw new Error('It has no apps.apps');
  const apps = named as Fields[];
  const [activityTimeoutSeconds, ...more] = new Set(apps.flatMap((app) => limit(app['activity_timeout']) ?? []));
  const notes =
    more.length > 0
      ? ['Apps have different values for activity_timeout: Rookery has one for all apps, and the first was used']
      : [];
  const path = textOf(get('path'))?.replace(/\/$/, '');
  const channels = said({ path: path === '' ? undefined : path, activityTimeoutSeconds });
  return {
    file: { apps: apps.map(appOf), ...(Object.keys(channels).length > 0 && { channels }) },
    environment: said({
      HOST: textOf(get('host')),
      PORT: textOf(get('port')),
      REDIS_URL: isYes(get('scaling.enabled')) ? redisOf(get) : undefined,
    }) as Record<string, string>,
    notes,
  };
}

function appOf(app: Fields): MovedApp {
  const origins = app['allowed_origins'];
  const isOpen = !Array.isArray(origins) || origins.includes('*');
  return {
    ...credentials(app['app_id'], app['key'], app['secret']),
    // Reverb accepts client events ("whispers") by default.
    ...(app['accept_client_events_from'] !== 'none' && { clientEvents: true }),
    ...said({
      allowedOrigins: isOpen ? undefined : (origins as string[]),
      maxConnections: limit(app['max_connections']),
    }),
  };
}

function redisOf(get: (path: keyof typeof others) => unknown): string {
  const named = textOf(get('scaling.server.url'));
  return named ?? redisUrl(get('scaling.server.host'), get('scaling.server.port'), get('scaling.server.password'));
}
