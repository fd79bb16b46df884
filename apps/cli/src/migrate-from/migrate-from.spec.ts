import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ChannelsSettings } from 'rookery/channels';
import { redisLocation } from 'rookery/internal/redis';
import { overSocket, signed } from '../../../../test/support/channels-api.js';
import { startChannels } from '../../../../test/support/channels-server.js';
import { defaults } from './converted-config.js';
import { readConfig } from '../../../server/src/config/config.js';
import { served } from '../../../server/src/config/checked-configuration.js';
import { readOtherFile } from './other-file.js';
import { fromReverb } from './reverb.js';
import { reverbVariables } from './reverb-variables.js';
import { fromSoketi } from './soketi.js';
import { soketiVariables } from './soketi-variables.js';

const folder = mkdtempSync(join(tmpdir(), 'rookery-migrate-from-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Settings as they are read from a file. */
function read(content: object | string) {
  const file = join(folder, 'other');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return readOtherFile(file);
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

/** Where soketi accepts more than the defaults here. */
const soketiLimits = {
  eventDataBytes: 102_400,
  presenceUserBytes: 2048,
  requestBytes: 2_048_000,
  messageBytes: 204_800,
};

it('knows the limits of Rookery', () => {
  expect(new ChannelsSettings().limits).toMatchObject(defaults);
});

describe('the configuration of soketi', () => {
  it.each([
    ['nested', { appManager: { array: { apps: [soketiApp] } }, port: 6002, pathPrefix: '/ws' }],
    ['under whole paths', { 'appManager.array.apps': [soketiApp], port: 6002, pathPrefix: '/ws' }],
    ['half and half', { appManager: { 'array.apps': [soketiApp] }, port: 6002, pathPrefix: '/ws' }],
  ])('is read from JSON: %s', (_, json) => {
    const { file, environment, notes } = fromSoketi(read(json));
    expect(file).toEqual({ apps: [movedApp], channels: { path: '/ws', limits: soketiLimits } });
    expect(environment).toEqual({ HOST: '0.0.0.0', PORT: '6002' });
    expect(notes).toEqual([
      expect.stringContaining('subscriptionCount'),
      'App 1: a webhook that calls hooks needs an address of its own',
      'App 1: Rookery has no limit for reads over HTTP (maxReadRequestsPerSecond)',
      expect.stringMatching(/^App 1: .* 10 client events a second.* limits\.clientEventsPerSecond/),
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
      channels: { limits: { ...soketiLimits, presenceMembers: 50 } },
    });
    expect(environment).toEqual({
      HOST: '0.0.0.0',
      TLS_CERT_FILE: '/etc/cert.pem',
      TLS_KEY_FILE: '/etc/key.pem',
      REDIS_URL: 'redis://:p%40ss@cache:6379',
    });
    expect(counted(file)).toBe(1);
  });

  const plainApp = { id: '1', key: 'key', secret: 'secret' };
  const withApp = (app: object, settings: object = {}) =>
    fromSoketi(read({ appManager: { array: { apps: [{ ...plainApp, ...app }] } }, ...settings }));

  it('keeps connections from staying without a sign-in, and warns of ids that are numbers', () => {
    const { file, notes } = withApp({ enableUserAuthentication: true });
    expect(file.apps).toEqual([{ ...plainApp, authorizationTimeoutSeconds: 30 }]);
    expect(notes).toContainEqual(
      expect.stringMatching(/^App 1: .* id of a user who signs in must be a string.*\{"id":"7"\}/),
    );
    const sooner = withApp({ enableUserAuthentication: true }, { userAuthenticationTimeout: 5000 });
    expect(sooner.file.apps).toEqual([{ ...plainApp, authorizationTimeoutSeconds: 5 }]);
    expect(counted(sooner.file)).toBe(1);
  });

  it('keeps its limits, where they are looser too', () => {
    const { file, notes } = withApp(
      {
        maxPresenceMembersPerChannel: 70,
        maxEventPayloadInKb: 0.5,
        maxEventNameLength: 300,
        maxChannelNameLength: 100,
        maxConnections: 0,
      },
      {
        'eventLimits.maxPayloadInKb': 200,
        'eventLimits.maxBatchSize': '20',
        'eventLimits.maxChannelsAtOnce': 5,
        'presence.maxMemberSizeInKb': 10,
        'channelLimits.cacheTtl': 600,
        'httpApi.requestLimitInMb': 2,
      },
    );
    expect(file.apps).toEqual([
      { ...plainApp, maxConnections: 0, limits: { presenceMembers: 70, eventDataBytes: 512 } },
    ]);
    expect(file.channels).toEqual({
      cacheTtlSeconds: 600,
      limits: {
        eventDataBytes: 204_800,
        presenceUserBytes: 10_240,
        eventNameLength: 300,
        channelNameLength: 200,
        channelsPerTrigger: 5,
        eventsPerBatch: 20,
        requestBytes: 2_097_152,
        messageBytes: 409_600,
      },
    });
    expect(notes.filter((note) => note.startsWith('App 1: '))).toEqual([
      expect.stringContaining('maxChannelNameLength'),
      expect.stringContaining('maxEventNameLength'),
    ]);
    expect(counted(file)).toBe(1);
  });

  it('accepts events and batches as large as before', async () => {
    const { file } = withApp({});
    const server = await startChannels({ apps: file.apps, ...file.channels });
    // Each quotation mark is two bytes in JSON.
    const batch = Array.from({ length: 10 }, () => ({ name: 'e', channel: 'c', data: '"'.repeat(100_000) }));
    const answer = await overSocket(server, signed('POST', '/batch_events', { batch }, { app: plainApp }));
    expect(answer).toMatchObject({ status: 200 });
    await server.close();
  });

  it.each<[string, object, Record<string, string>]>([
    [
      'user and database',
      { host: 'cache', username: 'ann', password: 'p@ss', db: 3 },
      { REDIS_URL: 'redis://ann:p%40ss@cache:6379/3' },
    ],
    ['TLS', { host: 'cache', tls: {} }, { REDIS_URL: 'rediss://cache:6379' }],
    ['an address of IPv6', { host: '::1', port: 7000 }, { REDIS_URL: 'redis://[::1]:7000' }],
    [
      'sentinels',
      { sentinels: [{ host: 'a', port: 26379 }, { host: 'b' }], sentinelPassword: 's', name: 'main', password: 'p' },
      { REDIS_URL: 'redis+sentinel://:p@a:26379,b:26379/main', REDIS_SENTINEL_PASSWORD: 's' },
    ],
  ])('reaches Redis as before: %s', (_, redis, expected) => {
    const { file, environment, notes } = withApp({}, { adapter: { driver: 'redis' }, database: { redis } });
    expect(environment).toEqual({ HOST: '0.0.0.0', ...expected });
    expect(redisLocation(environment['REDIS_URL']!)).toBeDefined();
    expect(notes).toHaveLength(1);
    expect(counted(file)).toBe(1);
  });

  it('reaches a Redis Cluster as before, by its own prefix', () => {
    const { file, environment, notes } = fromSoketi(
      read(`SOKETI_DEFAULT_APP_ID=1
SOKETI_DEFAULT_APP_KEY=key
SOKETI_DEFAULT_APP_SECRET=secret
SOKETI_ADAPTER_DRIVER=redis
SOKETI_ADAPTER_REDIS_CLUSTER_MODE=true
SOKETI_ADAPTER_REDIS_PREFIX=staging
SOKETI_DB_REDIS_CLUSTER_NODES='[{"host":"a","port":7000},{"host":"b","port":7001}]'`),
    );
    expect(environment['REDIS_URL']).toBe('redis+cluster://a:7000,b:7001');
    expect(redisLocation(environment['REDIS_URL']!)).toMatchObject({ kind: 'cluster' });
    expect(file.redis).toEqual({ keyPrefix: 'staging' });
    expect(notes).toHaveLength(1);
    expect(counted(file)).toBe(1);
  });

  it('says that apps from a database batch webhooks only where they say so', () => {
    const fromMysql = read('SOKETI_APP_MANAGER_DRIVER=mysql\nSOKETI_WEBHOOKS_BATCHING=1');
    expect(fromSoketi(fromMysql).notes).toContainEqual(
      expect.stringMatching(/^webhooks are batched for each app: set "batchWebhooks"/),
    );
    const row = { ...plainApp, webhooks: '[{"url":"https://example.com/hook","event_types":["member_added"]}]' };
    expect(fromSoketi(read([row])).notes).toContainEqual(
      expect.stringMatching(/^if soketi batches webhooks \(WEBHOOKS_BATCHING\), set "batchWebhooks"/),
    );
    expect(fromSoketi(read([plainApp])).notes.filter((note) => note.includes('batchWebhooks'))).toEqual([]);
  });

  it('batches webhooks as before, and sends none that had no events', () => {
    const [url, event_types] = ['https://example.com/hook', ['member_added', 'user_online']];
    const webhooks = [
      { url, event_types },
      { url, event_types: [] },
    ];
    const { file, notes } = withApp({ webhooks }, { webhooks: { batching: { enabled: true } } });
    expect(file.apps).toEqual([{ ...plainApp, batchWebhooks: true, webhooks: [{ url, events: ['member_added'] }] }]);
    expect(file.channels).toMatchObject({ webhooks: { batchMs: 50 } });
    expect(notes.filter((note) => note.startsWith('App 1: '))).toEqual([
      'App 1: Rookery has no webhook event user_online',
      `App 1: the webhook to ${url} has no event_types, so soketi never sends it: it was left out`,
    ]);
    expect(counted(file)).toBe(1);
  });

  it('takes the rows of its database as JSON', () => {
    const row = {
      ...plainApp,
      max_connections: 200,
      enabled: 1,
      enable_client_messages: 0,
      max_backend_events_per_sec: 50,
      max_client_events_per_sec: -1,
      max_read_req_per_sec: -1,
      webhooks: '[{"url":"https://example.com/hook","event_types":["client_event"]}]',
      max_presence_members_per_channel: null,
      max_event_payload_in_kb: 1,
      enable_user_authentication: 0,
    };
    const { file, notes } = fromSoketi(read(JSON.stringify([row])));
    expect(file.apps).toEqual([
      {
        ...plainApp,
        maxConnections: 200,
        limits: { triggersPerSecond: 50, eventDataBytes: 1024 },
        webhooks: [{ url: 'https://example.com/hook', events: ['client_event'] }],
      },
    ]);
    expect(notes).toEqual([expect.stringContaining('subscriptionCount'), expect.stringContaining('batchWebhooks')]);
    expect(counted(file)).toBe(1);
  });

  it('says how to bring apps along that are in a database', () => {
    const { file, notes } = fromSoketi(read('SOKETI_APP_MANAGER_DRIVER=mysql\nSOKETI_DB_MYSQL_HOST=db'));
    expect(file.apps).toEqual([]);
    expect(notes).toEqual([
      expect.stringMatching(/^soketi reads its apps from mysql: export .* as a JSON array/),
      expect.stringContaining('subscriptionCount'),
      expect.stringMatching(/^SOKETI_DB_MYSQL_HOST: /),
    ]);
  });

  it('names the key of TLS that needs a passphrase, and nothing of its value', () => {
    const { notes } = withApp({}, { ssl: { certPath: 'c', keyPath: 'k', passphrase: 'hush' } });
    expect(notes).toContainEqual(expect.stringMatching(/^ssl\.passphrase: .*openssl pkey/));
    expect(notes.join()).not.toContain('hush');
  });

  it('is refused without apps, and an app without a secret', () => {
    expect(() => fromSoketi(read({ port: 1 }))).toThrow('It has no appManager.array.apps');
    expect(() => fromSoketi(read('SOKETI_DEFAULT_APP_ID=1\nSOKETI_DEFAULT_APP_KEY=k'))).toThrow('without a secret');
  });
});

describe('the configuration of Reverb', () => {
  it('is read from the .env of the application', () => {
    const { file, environment, notes } = fromReverb(
      read(`APP_NAME=Laravel
REVERB_APP_ID=my-app-id
REVERB_APP_KEY=my-app-key
REVERB_APP_SECRET=my-app-secret
REVERB_HOST="localhost"
REVERB_SERVER_PORT=8080
REVERB_SCALING_ENABLED=true
REDIS_HOST=127.0.0.1
REDIS_PASSWORD=null
REDIS_PORT=6379
REDIS_USERNAME=ann
REDIS_DB=2
VITE_REVERB_HOST="localhost"`),
    );
    expect(file).toEqual({
      apps: [{ id: 'my-app-id', key: 'my-app-key', secret: 'my-app-secret', clientEvents: true }],
    });
    expect(environment).toEqual({ HOST: '0.0.0.0', PORT: '8080', REDIS_URL: 'redis://ann@127.0.0.1:6379/2' });
    expect(notes).toEqual([
      expect.stringMatching(/private and presence channels.*limits\.clientEventsPerSecond/),
      expect.stringMatching(/^REVERB_HOST: Laravel reads this address/),
    ]);
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
    expect(notes).toEqual([expect.stringContaining('limits.clientEventsPerSecond')]);
    expect(counted(file)).toBe(2);
  });

  const app = { app_id: 'a', key: 'ka', secret: 'sa', accept_client_events_from: 'none' };
  const withServer = (reverb: object, settings: object = app) =>
    fromReverb(read({ servers: { reverb }, apps: { apps: [settings] } }));

  it('keeps its sizes, where they are larger than here', () => {
    const { file } = withServer({ max_request_size: 2_000_000 }, { ...app, max_message_size: 300_000 });
    expect(file.channels).toEqual({
      limits: { eventDataBytes: 2_000_000, requestBytes: 2_001_024, messageBytes: 2_001_024 },
    });
    expect(withServer({ max_request_size: 10_000 }, { ...app, max_message_size: 10_000 }).file.channels).toBe(
      undefined,
    );
    expect(counted(file)).toBe(1);
  });

  it('keeps TLS, its address, and Redis by a URL of Laravel', () => {
    const tls = { local_cert: '/cert.pem', local_pk: '/key.pem', passphrase: 'hush', verify_peer: false };
    const { environment, notes } = withServer({
      path: 'ws',
      options: { tls },
      scaling: { enabled: true, server: { url: 'tls://:p@cache:6380/1' } },
    });
    expect(environment).toEqual({
      HOST: '0.0.0.0',
      PORT: '8080',
      TLS_CERT_FILE: '/cert.pem',
      TLS_KEY_FILE: '/key.pem',
      REDIS_URL: 'rediss://:p@cache:6380/1',
    });
    expect(notes).toEqual([
      expect.stringMatching(/^servers\.reverb\.options\.tls\.passphrase: .*openssl pkey/),
      'servers.reverb.options.tls.verify_peer has no counterpart in Rookery',
    ]);
  });

  it.each([
    ['a host with its protocol', { host: 'tls://cache', password: 'p' }, 'rediss://:p@cache:6379'],
    [
      'a URL, with a password beside it',
      { url: 'tcp://cache:7000', host: 'x', password: 'p' },
      'redis://:p@cache:7000',
    ],
  ])('reaches Redis as Laravel does: %s', (_, server, url) => {
    const { environment } = withServer({ scaling: { enabled: true, server } });
    expect(environment['REDIS_URL']).toBe(url);
  });

  it('lets no page connect where Reverb lets none', () => {
    expect(withServer({}, { ...app, allowed_origins: [] }).file.apps).toMatchObject([{ allowedOrigins: [] }]);
  });

  it('says what to do where Laravel has the address of Redis', () => {
    const { environment, notes } = withServer({ scaling: { enabled: true, server: [] } });
    expect(environment['REDIS_URL']).toBe(undefined);
    expect(notes).toEqual([expect.stringMatching(/^servers\.reverb\.scaling\.server .* set REDIS_URL/)]);
  });
});

describe('no setting is dropped silently', () => {
  const app = { SOKETI_DEFAULT_APP_ID: '1', SOKETI_DEFAULT_APP_KEY: 'k', SOKETI_DEFAULT_APP_SECRET: 's' };
  /** What comes of variables: a conversion, or a refusal. */
  const outcome = (convert: typeof fromSoketi, variables: Record<string, string>) => {
    try {
      return convert({ variables });
    } catch (error) {
      return String(error);
    }
  };
  const soketi = (variables: Record<string, string>) => outcome(fromSoketi, { ...app, ...variables });
  const reverb = (variables: Record<string, string>) =>
    outcome(fromReverb, { REVERB_APP_ID: '1', REVERB_APP_KEY: 'k', REVERB_APP_SECRET: 's', ...variables });

  it.each([...Object.keys(soketiVariables), 'OF_A_LATER_VERSION'])('of soketi: %s', (name) => {
    const named = `SOKETI_${name}`;
    expect(soketi({ [named]: '3' })).not.toEqual(soketi({}));
    expect(soketi({ SOKETI_ADAPTER_DRIVER: 'redis', [named]: '{"a":1}' })).not.toEqual(
      soketi({ SOKETI_ADAPTER_DRIVER: 'redis' }),
    );
  });

  it.each([...Object.keys(reverbVariables).filter((name) => !name.startsWith('REDIS_')), 'REVERB_OF_A_LATER_VERSION'])(
    'of Reverb: %s',
    (name) => {
      expect(reverb({ [name]: '3' })).not.toEqual(reverb({}));
    },
  );

  it.each(Object.keys(reverbVariables).filter((name) => name.startsWith('REDIS_')))(
    "of Reverb's scaling: %s",
    (name) => {
      const scaled = { REVERB_SCALING_ENABLED: 'true' };
      expect(reverb({ ...scaled, [name]: '3' })).not.toEqual(reverb(scaled));
      // Laravel's other parts read them, too.
      expect(reverb({ [name]: '3' })).toEqual(reverb({}));
    },
  );

  it('in JSON: by its path', () => {
    const settings = {
      'appManager.array.apps': [
        { id: 1, key: 'k', secret: 's', maxConnections: 'many', colour: 'red', webhooks: [{ url: 'x', retry: 3 }] },
      ],
      cors: { credentials: true, origin: [], methods: ['GET'] },
      later: { than: { this: 1 } },
    };
    const { notes } = fromSoketi({ json: settings });
    for (const note of [
      'appManager.array.apps.0.maxConnections has a value that cannot be converted',
      'appManager.array.apps.0.colour has no counterpart in Rookery',
      'appManager.array.apps.0.webhooks.0.retry has no counterpart in Rookery',
      'later.than.this has no counterpart in Rookery',
    ])
      expect(notes).toContain(note);
    expect(notes).toContainEqual(expect.stringMatching(/^cors\.credentials, cors\.methods\.0: /));
    expect(notes.join()).not.toContain('cors.origin');
  });
});
