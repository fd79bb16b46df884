import { credentials, type ConvertedApp, withoutUndefined } from './converted-config.js';
import type { OtherSettings } from './other-settings.js';

/** How large requests and messages may be unless it is set. */
export const standardBytes = 10_000;

export interface ReverbApp {
  readonly app: ConvertedApp;
  readonly activityTimeoutSeconds: number | undefined;
  readonly messageBytes: number;
  /** Why other settings have no counterpart. */
  readonly notes: readonly string[];
}

export function reverbApp(settings: OtherSettings): ReverbApp {
  const origins = settings.texts('allowed_origins') ?? ['*'];
  const app = {
    ...credentials(settings, 'app_id'),
    // Reverb accepts client events ("whispers") by default.
    ...(/^(all|members)$/.test(settings.text('accept_client_events_from') ?? 'all') && { clientEvents: true }),
    ...withoutUndefined({
      allowedOrigins: origins.includes('*') ? undefined : origins,
      maxConnections: settings.limit('max_connections'),
    }),
  };
  return {
    app,
    activityTimeoutSeconds: settings.limit('activity_timeout'),
    messageBytes: settings.limit('max_message_size') ?? standardBytes,
    notes: [
      ...settings.explain('options', 'Laravel reads this address: point it at Rookery'),
      ...settings.explain('ping_interval', 'silent connections are pinged after channels.activityTimeoutSeconds'),
      ...settings.explain('rate_limiting', 'client events and subscribes have limits of their own (channels.limits)'),
    ],
  };
}
