import type { OtherFile } from './other-file.js';

/** The variables that Laravel's `config/reverb.php` reads, by the settings that they set. */
export const reverbVariables = {
  default: 'REVERB_SERVER',
  'servers.reverb.host': 'REVERB_SERVER_HOST',
  'servers.reverb.port': 'REVERB_SERVER_PORT',
  'servers.reverb.path': 'REVERB_SERVER_PATH',
  'servers.reverb.max_request_size': 'REVERB_MAX_REQUEST_SIZE',
  'servers.reverb.scaling.enabled': 'REVERB_SCALING_ENABLED',
  'servers.reverb.scaling.channel': 'REVERB_SCALING_CHANNEL',
  'servers.reverb.scaling.server.url': 'REDIS_URL',
  'servers.reverb.scaling.server.host': 'REDIS_HOST',
  'servers.reverb.scaling.server.port': 'REDIS_PORT',
  'servers.reverb.scaling.server.username': 'REDIS_USERNAME',
  'servers.reverb.scaling.server.password': 'REDIS_PASSWORD',
  'servers.reverb.scaling.server.database': 'REDIS_DB',
  'servers.reverb.scaling.server.timeout': 'REDIS_TIMEOUT',
  'servers.reverb.pulse_ingest_interval': 'REVERB_PULSE_INGEST_INTERVAL',
  'servers.reverb.telescope_ingest_interval': 'REVERB_TELESCOPE_INGEST_INTERVAL',
  'apps.apps.0.app_id': 'REVERB_APP_ID',
  'apps.apps.0.key': 'REVERB_APP_KEY',
  'apps.apps.0.secret': 'REVERB_APP_SECRET',
  'apps.apps.0.options.host': 'REVERB_HOST',
  'apps.apps.0.options.port': 'REVERB_PORT',
  'apps.apps.0.options.scheme': 'REVERB_SCHEME',
  'apps.apps.0.ping_interval': 'REVERB_APP_PING_INTERVAL',
  'apps.apps.0.activity_timeout': 'REVERB_APP_ACTIVITY_TIMEOUT',
  'apps.apps.0.max_connections': 'REVERB_APP_MAX_CONNECTIONS',
  'apps.apps.0.max_message_size': 'REVERB_APP_MAX_MESSAGE_SIZE',
  'apps.apps.0.accept_client_events_from': 'REVERB_APP_ACCEPT_CLIENT_EVENTS_FROM',
  'apps.apps.0.rate_limiting.enabled': 'REVERB_APP_RATE_LIMITING_ENABLED',
  'apps.apps.0.rate_limiting.max_attempts': 'REVERB_APP_RATE_LIMIT_MAX_ATTEMPTS',
  'apps.apps.0.rate_limiting.decay_seconds': 'REVERB_APP_RATE_LIMIT_DECAY_SECONDS',
  'apps.apps.0.rate_limiting.terminate_on_limit': 'REVERB_APP_RATE_LIMIT_TERMINATE',
} as const;

/** Reverb's variables in an application's file; without scaling, those of Redis are for other parts of it. */
export function reverbSettingsIn(variables: NonNullable<OtherFile['variables']>) {
  const isScaled = ['true', '1'].includes(variables['REVERB_SCALING_ENABLED'] ?? '');
  const paths = new Map<string, string>(Object.entries(reverbVariables).map(([path, name]) => [name, path]));
  const own = Object.entries(variables).filter(
    ([name]) => name.startsWith('REVERB_') || (isScaled && name.startsWith('REDIS_') && paths.has(name)),
  );
  return Object.fromEntries(own.map(([name, value = '']) => [name, { path: paths.get(name) ?? name, value }]));
}
