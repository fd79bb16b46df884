import type { AppConfig, AppWebhook } from 'rookery/channels';
import { count, type Field, flag, list, object, optional, orNull, text } from './fields.js';

/** @returns the apps of the configuration file */
export function parseApps(value: unknown): readonly AppConfig[] {
  return list(app)({ path: 'apps', value });
}

const settings = [
  'id',
  'key',
  'secret',
  'enabled',
  'tlsOnly',
  'clientEvents',
  'subscriptionCount',
  'allowedOrigins',
  'maxConnections',
  'watchlist',
  'authorizationTimeoutSeconds',
  'webhooks',
  'batchWebhooks',
];

function app(field: Field): AppConfig {
  const at = object(field, settings);
  return {
    id: text(at('id')),
    key: text(at('key')),
    secret: text(at('secret')),
    ...optional('enabled', at('enabled'), flag),
    ...optional('tlsOnly', at('tlsOnly'), flag),
    ...optional('clientEvents', at('clientEvents'), flag),
    ...optional('subscriptionCount', at('subscriptionCount'), flag),
    ...optional('allowedOrigins', at('allowedOrigins'), list(text)),
    ...optional('maxConnections', at('maxConnections'), orNull(count)),
    ...optional('watchlist', at('watchlist'), flag),
    ...optional('authorizationTimeoutSeconds', at('authorizationTimeoutSeconds'), orNull(count)),
    ...optional('webhooks', at('webhooks'), list(webhook)),
    ...optional('batchWebhooks', at('batchWebhooks'), flag),
  };
}

function webhook(field: Field): AppWebhook {
  const at = object(field, ['url', 'events', 'headers']);
  return {
    url: text(at('url')),
    ...optional('events', at('events'), list(text)),
    ...optional('headers', at('headers'), headers),
  };
}

function headers({ path, value }: Field): Readonly<Record<string, string>> {
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const at = object({ path, value }, names);
  return Object.fromEntries(names.map((name) => [name, text(at(name))]));
}
