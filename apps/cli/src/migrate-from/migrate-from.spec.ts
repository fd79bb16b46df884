import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../server/src/config/config.js';
import { served } from '../../../server/src/config/checked-configuration.js';
import { readOtherSettings } from './other-settings.js';
import { fromReverb } from './reverb.js';
import { fromSoketi } from './soketi.js';

const folder = mkdtempSync(join(tmpdir(), 'rookery-migrate-from-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Settings as they are read from a file. */
function read(content: object | string) {
  const file = join(folder, 'other');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return readOtherSettings(file);
}

/** Whether the server takes what came of them. */
function counted(file: object): number {
  writeFileSync(join(folder, 'rookery.json'), JSON.stringify(file));
  return served(readConfig({ CONFIG_FILE: join(folder, 'rookery.json') })).apps;
}

const soketiApp = {
  id: 1,
  key: 'key',
  secret: 'secret',
  maxConnections: 500,
  enableClientMessages: true,
  enabled: false,
  maxBackendEventsPerSecond: 100,
  maxClientEventsPerSecond: -1,
  maxReadRequestsPerSecond: 10,
  webhooks: [
    {
      url: 'https://example.com/hook',
      event_types: ['channel_occupied', 'cache_missed'],
      filter: { channel_name_starts_with: 'a-' },
      headers: { 'x-a': 'b' },
    },
    { lambda_function: 'hooks', event_types: ['member_added'] },
  ],
};
const movedApp = {
  id: '1',
  key: 'key',
  secret: 'secret',
  enabled: false,
  clientEvents: true,
  maxConnections: 500,
  limits: { triggersPerSecond: 100 },
  webhooks: [
    {
      url: 'https://example.com/hook',
      events: ['channel_occupied', 'cache_miss'],
      filter: { channelNameStartsWith: 'a-' },
      headers: { 'x-a': 'b' },
    },
  ],
};

describe('the configuration of soketi', () => {
  it.each([
    ['nested', { appManager: { array: { apps: [soketiApp] } }, port: 6002, pathPrefix: '/ws' }],
    ['under whole paths', { 'appManager.array.apps': [soketiApp], port: 6002, pathPrefix: '/ws' }],
    ['half and half', { appManager: { 'array.apps': [soketiApp] }, port: 6002, pathPrefix: '/ws' }],
  ])('is read from JSON: %s', (_, json) => {
    const { file, environment, notes } = fromSoketi(read(json));
    expect(file).toEqual({ apps: [movedApp], channels: { path: '/ws' } });
    expect(environment).toEqual({ PORT: '6002' });
    expect(notes).toEqual([
      expect.stringContaining('subscriptionCount'),
      'App 1: a webhook that calls hooks needs an address of its own',
      'App 1: Rookery has no limit for reads over HTTP (maxReadRequestsPerSecond)',
    ]);
    expect(counted(file)).toBe(1);
  });

  it('is read from variables, with and without their prefix', () => {
    const { file, environment } = fromSoketi(
      read(`SOKETI_DEFAULT_APP_ID=1
DEFAULT_APP_KEY=key
SOKETI_DEFAULT_APP_SECRET="se#cret"
SOKETI_DEFAULT_APP_ENABLE_CLIENT_MESSAGES=true
SOKETI_DEFAULT_APP_WEBHOOKS='[{"url":"https://example.com/hook","event_types":["client_event"]}]'
SOKETI_PRESENCE_MAX_MEMBERS=50
SOKETI_ADAPTER_DRIVER=redis
SOKETI_DB_REDIS_HOST=cache
SOKETI_DB_REDIS_PASSWORD=p@ss
SOKETI_SSL_CERT=/etc/cert.pem
SOKETI_SSL_KEY=/etc/key.pem`),
    );
    const webhooks = [{ url: 'https://example.com/hook', events: ['client_event'] }];
    expect(file).toEqual({
      apps: [{ id: '1', key: 'key', secret: 'se#cret', clientEvents: true, webhooks }],
      channels: { limits: { presenceMembers: 50 } },
    });
    expect(environment).toEqual({
      TLS_CERT_FILE: '/etc/cert.pem',
      TLS_KEY_FILE: '/etc/key.pem',
      REDIS_URL: 'redis://:p%40ss@cache:6379',
    });
    expect(counted(file)).toBe(1);
  });

  it('is refused without apps, and an app without a secret', () => {
    expect(() => fromSoketi(read({ port: 1 }))).toThrow('It has no appManager.array.apps');
    expect(() => fromSoketi(read('SOKETI_DEFAULT_APP_ID=1\nSOKETI_DEFAULT_APP_KEY=k'))).toThrow('without a secret');
  });
});

describe('the configuration of Reverb', () => {
  it('is read from the .env of the application', () => {
    const { file, environment } = fromReverb(
      read(`APP_NAME=Laravel
REVERB_APP_ID=my-app-id
REVERB_APP_KEY=my-app-key
REVERB_APP_SECRET=my-app-secret
REVERB_HOST="localhost"
REVERB_SERVER_PORT=8080
REVERB_SCALING_ENABLED=true
REDIS_HOST=127.0.0.1
REDIS_PASSWORD=null
REDIS_PORT=6379`),
    );
    expect(file).toEqual({
      apps: [{ id: 'my-app-id', key: 'my-app-key', secret: 'my-app-secret', clientEvents: true }],
    });
    expect(environment).toEqual({ PORT: '8080', REDIS_URL: 'redis://127.0.0.1:6379' });
    expect(counted(file)).toBe(1);
  });

  it('is read from JSON, with several apps', () => {
    const apps = [
      {
        app_id: 'a',
        key: 'ka',
        secret: 'sa',
        allowed_origins: ['laravel.com'],
        max_connections: 9,
        activity_timeout: 30,
      },
      { app_id: 'b', key: 'kb', secret: 'sb', allowed_origins: ['*'], accept_client_events_from: 'none' },
    ];
    const reverb = { host: '0.0.0.0', port: 8080, path: '/live/', scaling: { enabled: false } };
    const { file, environment, notes } = fromReverb(read({ servers: { reverb }, apps: { provider: 'config', apps } }));
    expect(file).toEqual({
      apps: [
        { id: 'a', key: 'ka', secret: 'sa', clientEvents: true, allowedOrigins: ['laravel.com'], maxConnections: 9 },
        { id: 'b', key: 'kb', secret: 'sb' },
      ],
      channels: { path: '/live', activityTimeoutSeconds: 30 },
    });
    expect(environment).toEqual({ HOST: '0.0.0.0', PORT: '8080' });
    expect(notes).toEqual([]);
    expect(counted(file)).toBe(2);
  });
});
