import type { Variables } from './other-file.js';
import { pathsByVariable } from './other-variables.js';

const server = 'servers.reverb.';
const app = 'apps.apps.0.';

/** The variables that Laravel's `config/reverb.php` reads, and the settings that they set. */
export const reverbVariables: Readonly<Record<string, string>> = pathsByVariable(
  [
    ['REVERB_SERVER', '', '=default'],
    ['REVERB_SERVER_', server, 'HOST PORT PATH'],
    ['REVERB_', server, 'MAX_REQUEST_SIZE SCALING_ENABLED=scaling.enabled SCALING_CHANNEL=scaling.channel'],
    ['REDIS_', `${server}scaling.server.`, 'URL HOST PORT USERNAME PASSWORD DB=database TIMEOUT'],
    ['REVERB_', server, 'PULSE_INGEST_INTERVAL TELESCOPE_INGEST_INTERVAL'],
    ['REVERB_APP_', app, 'ID=app_id KEY SECRET'],
    ['REVERB_', `${app}options.`, 'HOST PORT SCHEME'],
    ['REVERB_APP_', app, 'PING_INTERVAL ACTIVITY_TIMEOUT MAX_CONNECTIONS MAX_MESSAGE_SIZE ACCEPT_CLIENT_EVENTS_FROM'],
    ['REVERB_APP_RATE_LIMITING_', `${app}rate_limiting.`, 'ENABLED'],
    ['REVERB_APP_RATE_LIMIT_', `${app}rate_limiting.`, 'MAX_ATTEMPTS DECAY_SECONDS TERMINATE=terminate_on_limit'],
  ],
  (name) => name,
);

/** Reverb's variables in an application's file, and their settings; without scaling, those of Redis are for other parts. */
export function reverbPathsIn(variables: Variables): readonly (readonly [name: string, path: string])[] {
  const isScaled = ['true', '1'].includes(variables['REVERB_SCALING_ENABLED'] ?? '');
  return Object.keys(variables)
    .filter((name) => name.startsWith('REVERB_') || (isScaled && name.startsWith('REDIS_') && name in reverbVariables))
    .map((name) => [name, reverbVariables[name] ?? name]);
}
